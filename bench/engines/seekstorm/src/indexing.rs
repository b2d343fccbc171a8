use std::path::Path;

use asof_bench_engine::{Outcome, Page, Writer};
use seekstorm::commit::Commit;
use seekstorm::index::{
    AccessType, Close, Clustering, DocumentCompression, FileType, FrequentwordType, IndexArc, IndexDocument,
    IndexMetaObject, LexicalSimilarity, NgramSet, SchemaField, StemmerType, StopwordType, TokenizerType, create_index,
};
use seekstorm::vector::Inference;
use serde_json::{from_value, json};
use tokio::runtime::{Builder, Runtime};

/// Title and text are searched in one field, as in Lucene. They are stored in two others, which are not searched.
pub const WORDS: &str = "words";
pub const NUMBER: &str = "number";
pub const ACQUIRED: &str = "acquired";
pub const PUBLISHED: &str = "published";
pub const SITE: &str = "site";
pub const URL: &str = "url";
pub const TITLE: &str = "title";
pub const TEXT: &str = "text";

/// Indexes in the threads that SeekStorm starts for it, one page at a time, because the index has one shard.
pub struct PageWriter {
    index: IndexArc,
    runtime: Runtime,
}

impl PageWriter {
    pub fn create(folder: &Path) -> Outcome<PageWriter> {
        let meta = IndexMetaObject {
            id: 0,
            name: "pages".into(),
            lexical_similarity: LexicalSimilarity::Bm25f,
            tokenizer: TokenizerType::UnicodeAlphanumeric,
            stemmer: StemmerType::English,
            stop_words: StopwordType::None,
            frequent_words: FrequentwordType::None,
            ngram_indexing: NgramSet::SingleTerm as u8,
            document_compression: DocumentCompression::Lz4,
            access_type: AccessType::Mmap,
            spelling_correction: None,
            query_completion: None,
            clustering: Clustering::None,
            inference: Inference::None,
            segment_number_bits: 11,
        };
        let stored = |field| json!({ "field": field, "field_type": "Text", "store": true, "index_lexical": false });
        let facet = |field, kind, store| json!({ "field": field, "field_type": kind, "store": store, "index_lexical": false, "facet": true });
        let schema: Vec<SchemaField> = from_value(json!([
            { "field": WORDS, "field_type": "Text", "store": false, "index_lexical": true, "longest": true },
            facet(NUMBER, "U64", false),
            facet(ACQUIRED, "I64", false),
            facet(PUBLISHED, "I64", true),
            facet(SITE, "String16", false),
            stored(URL),
            stored(TITLE),
            stored(TEXT),
        ]))?;
        let runtime = runtime()?;
        let index = runtime.block_on(create_index(folder, meta, &schema, &Vec::new(), true, Some(1)))?;
        Ok(PageWriter { index, runtime })
    }
}

/// Polls searches on the thread that asks.
pub fn runtime() -> Outcome<Runtime> {
    Ok(Builder::new_current_thread().build()?)
}

impl Writer for PageWriter {
    fn add(&mut self, page: &Page) -> Outcome<()> {
        let mut document = json!({
            WORDS: format!("{}\n{}", page.title, page.text),
            NUMBER: page.number,
            ACQUIRED: page.acquired,
            SITE: page.host()?,
            URL: page.url,
            TITLE: page.title,
            TEXT: page.text,
        });
        if let Some(published) = page.published {
            document[PUBLISHED] = published.into();
        }
        self.runtime.block_on(self.index.index_document(from_value(document)?, FileType::None));
        Ok(())
    }

    fn commit(&mut self) -> Outcome<()> {
        self.runtime.block_on(self.index.commit());
        Ok(())
    }

    fn settle(self) -> Outcome<()> {
        self.runtime.block_on(self.index.close());
        Ok(())
    }
}
