import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FilterDirectoryReader;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.LogByteSizeMergePolicy;
import org.apache.lucene.index.NoDeletionPolicy;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.FixedBitSet;

/**
 * Runs Lucene for the suite leaks: an index that can be searched as of each of its commits. Reads the commands
 * begin, commit and ask from standard input, one per line with fields separated by tabs, and writes one line of JSON per command.
 * lucene-commits.ts is the caller.
 */
public final class Commits {
  private static Directory directory;
  private static IndexWriter writer;
  private static String way;
  private static final Map<String, IndexCommit> KEPT = new HashMap<>();
  private static DirectoryReader reader;
  /** The instant that the searcher shows. */
  private static String shown = "";

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] command = line.split("\t", -1);
      out.println(
          switch (command[0]) {
            case "begin" -> begin(Path.of(command[1]), command[2]);
            case "commit" -> commit(command[1], command[2], Bench.readLines(in, Integer.parseInt(command[3])));
            case "ask" -> ask(command[1], Bench.readQuestions(in, Integer.parseInt(command[2])));
            default -> throw new IllegalArgumentException("unknown command " + command[0]);
          });
      out.flush();
    }
    if (reader != null) reader.close();
    writer.close();
  }

  /**
   * Opens a new index.
   *
   * @param way {@code kept} only keeps the commits. {@code expunged} also merges away what was deleted, before each commit.
   *     {@code counted} scores with statistics of the documents that are not deleted, which it counts for each question. {@code
   *     dated} keeps the newest commit only, deletes nothing, and gives each document the instants of its begin and its end; it
   *     takes all documents that were not valid at an instant for deleted, and counts as {@code counted} does.
   */
  private static String begin(Path folder, String chosen) throws IOException {
    way = chosen;
    directory = FSDirectory.open(folder);
    IndexWriterConfig config =
        Bench.config()
            .setUseCompoundFile(true)
            // Merges only adjacent segments, so that equal scores are in the order in which the documents came.
            .setMergePolicy(new LogByteSizeMergePolicy())
            // The segments of a commit then do not depend on how far a merge in the background was.
            .setMergeScheduler(new SerialMergeScheduler());
    if (!way.equals("dated")) config.setIndexDeletionPolicy(NoDeletionPolicy.INSTANCE);
    writer = new IndexWriter(directory, config);
    return "{}";
  }

  /** Deletes the documents of some numbers, adds pages, and commits. */
  private static String commit(String instant, String ended, List<String> lines) throws IOException {
    long started = System.nanoTime();
    if (!ended.isEmpty())
      for (String number : ended.split(",")) {
        Term id = new Term("id", number);
        if (way.equals("dated")) writer.updateNumericDocValue(id, "until", Long.parseLong(instant));
        else writer.deleteDocuments(id);
      }
    for (String line : lines) {
      String[] page = Bench.unescaped(line.split("\t", -1));
      Document document = Bench.documentOf(page, TextField.TYPE_NOT_STORED);
      document.add(new StringField("id", page[0], Field.Store.NO));
      if (way.equals("dated")) {
        document.add(new NumericDocValuesField("from", Long.parseLong(instant)));
        document.add(new NumericDocValuesField("until", Long.MAX_VALUE));
      }
      writer.addDocument(document);
    }
    if (way.equals("expunged")) {
      // Deletions are only resolved, and seen by merges, after a flush.
      writer.flush();
      writer.forceMergeDeletes();
    }
    writer.setLiveCommitData(Map.of("instant", instant).entrySet());
    writer.commit();
    return String.format("{\"ms\":%.3f}", (System.nanoTime() - started) / 1e6);
  }

  /** Answers questions as of a commit. Opening the commit is part of the time of the first one. */
  private static String ask(String instant, List<Bench.Question> questions) throws IOException {
    long started = System.nanoTime();
    if (!shown.equals(instant)) {
      Bench.searchIn(way.equals("dated") ? searcherByDates(Long.parseLong(instant)) : searcherOfCommit(instant));
      shown = instant;
    }
    return Bench.ask(questions, System.nanoTime() - started);
  }

  private static IndexSearcher searcherOfCommit(String instant) throws IOException {
    if (!KEPT.containsKey(instant))
      for (IndexCommit commit : DirectoryReader.listCommits(directory))
        KEPT.put(commit.getUserData().get("instant"), commit);
    if (reader != null) reader.close();
    reader = DirectoryReader.open(KEPT.get(instant));
    return way.equals("counted") ? new CountingSearcher(reader) : new IndexSearcher(reader);
  }

  private static IndexSearcher searcherByDates(long instant) throws IOException {
    DirectoryReader newer = reader == null ? DirectoryReader.open(directory) : DirectoryReader.openIfChanged(reader);
    if (newer != null) {
      if (reader != null) reader.close();
      reader = newer;
    }
    return new CountingSearcher(new ReaderAsOf(reader, instant));
  }

  /** Takes the documents that were not valid at an instant for deleted. */
  private static final class ReaderAsOf extends FilterDirectoryReader {
    ReaderAsOf(DirectoryReader all, long instant) throws IOException {
      super(
          all,
          new SubReaderWrapper() {
            @Override
            public LeafReader wrap(LeafReader leaf) {
              try {
                return new LeafAsOf(leaf, instant);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          });
    }

    @Override
    protected DirectoryReader doWrapDirectoryReader(DirectoryReader all) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CacheHelper getReaderCacheHelper() {
      return null;
    }
  }

  private static final class LeafAsOf extends FilterLeafReader {
    private final FixedBitSet valid;

    LeafAsOf(LeafReader leaf, long instant) throws IOException {
      super(leaf);
      valid = new FixedBitSet(leaf.maxDoc());
      NumericDocValues from = leaf.getNumericDocValues("from");
      NumericDocValues until = leaf.getNumericDocValues("until");
      for (int document = 0; document < leaf.maxDoc(); document++)
        if (from.advanceExact(document)
            && from.longValue() <= instant
            && until.advanceExact(document)
            && until.longValue() > instant) valid.set(document);
    }

    @Override
    public Bits getLiveDocs() {
      return valid;
    }

    @Override
    public int numDocs() {
      return valid.cardinality();
    }

    @Override
    public CacheHelper getCoreCacheHelper() {
      return in.getCoreCacheHelper();
    }

    @Override
    public CacheHelper getReaderCacheHelper() {
      return null;
    }
  }

  /** Scores with the statistics of the documents that are not deleted. Lucene's own count deleted ones until a merge drops them. */
  private static final class CountingSearcher extends IndexSearcher {
    private final Map<String, CollectionStatistics> collections = new HashMap<>();

    CountingSearcher(IndexReader reader) {
      super(reader);
    }

    @Override
    public TermStatistics termStatistics(Term term, int docFreq, long totalTermFreq) throws IOException {
      long[] counted = new long[2];
      for (LeafReaderContext leaf : getIndexReader().leaves()) {
        PostingsEnum postings = leaf.reader().postings(term, PostingsEnum.FREQS);
        if (postings != null) count(postings, leaf.reader().getLiveDocs(), counted);
      }
      // Lucene requires one document. If there is none, nothing is scored by it.
      return new TermStatistics(term.bytes(), Math.max(1, counted[0]), Math.max(1, counted[1]));
    }

    @Override
    public CollectionStatistics collectionStatistics(String field) throws IOException {
      CollectionStatistics known = collections.get(field);
      if (known == null) collections.put(field, known = countedStatistics(field));
      return known;
    }

    private CollectionStatistics countedStatistics(String field) throws IOException {
      long[] counted = new long[2];
      for (LeafReaderContext leaf : getIndexReader().leaves()) {
        Terms terms = leaf.reader().terms(field);
        if (terms == null) continue;
        TermsEnum each = terms.iterator();
        while (each.next() != null) count(each.postings(null, PostingsEnum.FREQS), leaf.reader().getLiveDocs(), counted);
      }
      int documents = getIndexReader().numDocs();
      return new CollectionStatistics(field, documents, documents, counted[1], counted[0]);
    }

    /** Adds the number of postings of documents that are not deleted, and the sum of their frequencies. */
    private static void count(PostingsEnum postings, Bits live, long[] counted) throws IOException {
      for (int document; (document = postings.nextDoc()) != DocIdSetIterator.NO_MORE_DOCS; )
        if (live == null || live.get(document)) {
          counted[0]++;
          counted[1] += postings.freq();
        }
    }
  }
}
