import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

/**
 * Ranks a judged collection with Lucene. Arguments: page file, folder for the index, number of results per query, and the name of an
 * analyzer. Reads lines of k1, b and the words of a query from standard input, separated by tabs; writes the page numbers for each, best
 * first.
 */
public final class Quality {
  private static final String FIELD = "text";

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    Analyzer analyzer = analyzerOf(args[3]);
    index(Path.of(args[0]), folder, analyzer);
    int limit = Integer.parseInt(args[2]);
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(folder))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      StoredFields stored = searcher.storedFields();
      for (String line; (line = in.readLine()) != null; ) {
        String[] cells = line.split("\t", -1);
        searcher.setSimilarity(new BM25Similarity(Float.parseFloat(cells[0]), Float.parseFloat(cells[1])));
        StringBuilder numbers = new StringBuilder();
        for (ScoreDoc hit : searcher.search(queryOf(cells[2], analyzer), limit).scoreDocs)
          numbers.append(stored.document(hit.doc).get("number")).append(' ');
        out.println(numbers);
      }
    }
    out.flush();
  }

  private static Analyzer analyzerOf(String name) {
    return switch (name) {
      case "EnglishAnalyzer" -> new EnglishAnalyzer();
      case "StandardAnalyzer" -> new StandardAnalyzer();
      default -> throw new IllegalArgumentException("unknown analyzer " + name);
    };
  }

  private static void index(Path pages, Path folder, Analyzer analyzer) throws IOException {
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(folder), new IndexWriterConfig(analyzer));
        BufferedReader in = Files.newBufferedReader(pages)) {
      for (String line; (line = in.readLine()) != null; ) {
        String[] page = line.split("\t", -1);
        Document document = new Document();
        document.add(new StoredField("number", page[0]));
        // The escapes of a page file need no decoding: they stand for white space and backslashes, which are not part of words.
        document.add(new TextField(FIELD, page[4].replaceAll("\\\\[nrt\\\\]", " "), Field.Store.NO));
        document.add(new TextField(FIELD, page[5].replaceAll("\\\\[nrt\\\\]", " "), Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  private static BooleanQuery queryOf(String words, Analyzer analyzer) throws IOException {
    BooleanQuery.Builder clauses = new BooleanQuery.Builder();
    try (TokenStream tokens = analyzer.tokenStream(FIELD, words)) {
      CharTermAttribute text = tokens.addAttribute(CharTermAttribute.class);
      tokens.reset();
      while (tokens.incrementToken()) clauses.add(new TermQuery(new Term(FIELD, text.toString())), Occur.SHOULD);
      tokens.end();
    }
    return clauses.build();
  }
}
