import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.search.uhighlight.CustomSeparatorBreakIterator;
import org.apache.lucene.search.uhighlight.LengthGoalBreakIterator;
import org.apache.lucene.search.uhighlight.UnifiedHighlighter;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.Version;

/**
 * Runs Lucene for the bench. Reads the commands index, open, ask, show and flood from standard input, one per line with fields
 * separated by tabs, and writes one line of JSON per command. program-process.ts is the caller.
 */
public final class Bench {
  /** Title and text share one field, which is the fastest way to search Lucene. */
  private static final String FIELD = "text";

  private static final Analyzer ANALYZER = new EnglishAnalyzer(CharArraySet.EMPTY_SET);
  /** The parameters of asof's ranking model. */
  private static final Similarity SIMILARITY = new BM25Similarity(2, 0.5f);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  /** The length of a snippet of asof. */
  private static final int SNIPPET_CHARS = 600;
  /** Words with offsets, from which snippets take a third of the time that they take from a text that is analyzed again. */
  private static final FieldType WORDS_WITH_OFFSETS = new FieldType(TextField.TYPE_NOT_STORED);

  static {
    WORDS_WITH_OFFSETS.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS_AND_OFFSETS);
  }

  private static IndexSearcher searcher;

  /**
   * One query with its filters; bounds are inclusive, in epoch milliseconds. {@code contents} are ids, results or answers. If {@code facet}, all matches are counted by the values of the field group. If {@code newest}, the pages that
   * were published last come first. {@code offset} results are left out.
   */
  record Question(
      String form, int limit, String words, long acquiredFrom, long acquiredTo, long publishedFrom, long publishedTo,
      String site, String contents, int shareBelow, boolean facet, boolean newest, int offset) {
    static Question read(String line) {
      String[] cells = line.split("\t", -1);
      return new Question(
          cells[0], Integer.parseInt(cells[1]), cells[2],
          bound(cells[3], Long.MIN_VALUE), bound(cells[4], Long.MAX_VALUE),
          bound(cells[5], Long.MIN_VALUE), bound(cells[6], Long.MAX_VALUE), cells[7], cells[8],
          cells[9].isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(cells[9]), cells[10].equals("facet"),
          cells[11].equals("newest"), Integer.parseInt(cells[12]));
    }

    private static long bound(String cell, long open) {
      return cell.isEmpty() ? open : Long.parseLong(cell);
    }
  }

  /** One result of the contents results or answers. {@code snippet} is null for results. */
  record Result(String url, String title, Long published, String snippet) {}

  /** The page numbers of the results, best first, and the results themselves, which are empty for the contents ids. */
  record Answer(long[] numbers, List<Result> results) {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] command = line.split("\t", -1);
      out.println(
          switch (command[0]) {
            case "index" -> index(Path.of(command[1]), Path.of(command[2]), Integer.parseInt(command[3]));
            case "open" -> open(Path.of(command[1]), Question.read(in.readLine()));
            case "ask" -> ask(readQuestions(in, Integer.parseInt(command[1])), 0);
            case "show" -> show(search(Question.read(in.readLine())).results());
            case "flood" ->
                flood(
                    Integer.parseInt(command[1]),
                    Long.parseLong(command[2]),
                    readQuestions(in, Integer.parseInt(command[3])));
            default -> throw new IllegalArgumentException("unknown command " + command[0]);
          });
      out.flush();
    }
  }

  static List<Question> readQuestions(BufferedReader in, int count) throws IOException {
    return readLines(in, count).stream().map(Question::read).toList();
  }

  static List<String> readLines(BufferedReader in, int count) throws IOException {
    List<String> lines = new ArrayList<>(count);
    for (int i = 0; i < count; i++) lines.add(in.readLine());
    return lines;
  }

  /**
   * Indexes a page file in one thread and commits once, at the end. Reading the pages is not timed. Then merges all segments into
   * one, which is neither timed nor counted.
   */
  private static String index(Path pages, Path folder, int batch) throws IOException {
    List<Long> batchNanos = new ArrayList<>();
    long addNanos = 0;
    long commitNanos = 0;
    long settleNanos;
    long readCpuNanos = 0;
    int count = 0;
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(folder), config());
        BufferedReader in = Files.newBufferedReader(pages)) {
      List<String[]> read = new ArrayList<>(batch);
      long reading = THREADS.getCurrentThreadCpuTime();
      for (boolean more = true; more; ) {
        String line = in.readLine();
        more = line != null;
        if (more) read.add(line.split("\t", -1));
        if (read.size() < (more ? batch : 1)) continue;
        for (String[] page : read) unescaped(page);
        readCpuNanos += THREADS.getCurrentThreadCpuTime() - reading;
        long started = System.nanoTime();
        for (String[] page : read) writer.addDocument(documentOf(page, WORDS_WITH_OFFSETS));
        long took = System.nanoTime() - started;
        addNanos += took;
        count += read.size();
        batchNanos.add(took / read.size());
        read.clear();
        reading = THREADS.getCurrentThreadCpuTime();
      }
      long started = System.nanoTime();
      writer.commit();
      commitNanos = System.nanoTime() - started;
      settleNanos = System.nanoTime();
    }
    settleNanos = System.nanoTime() - settleNanos;
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuNanos = system.getProcessCpuTime() - readCpuNanos;
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(folder), config())) {
      writer.forceMerge(1);
    }
    return String.format(
        "{\"pages\":%d,\"addMs\":%d,\"settleMs\":%d,\"cpuMs\":%d,\"slowestNsPerPage\":%d,\"fastestNsPerPage\":%d,"
            + "\"indexBytes\":%d}",
        count, (addNanos + commitNanos) / 1_000_000, settleNanos / 1_000_000, cpuNanos / 1_000_000,
        batchNanos.stream().mapToLong(n -> n).max().orElse(0), batchNanos.stream().mapToLong(n -> n).min().orElse(0),
        indexBytes(folder));
  }

  static IndexWriterConfig config() {
    // Keeps stored text in separate files, so that the size of the index without it can be measured.
    TieredMergePolicy merges = new TieredMergePolicy();
    merges.setNoCFSRatio(0);
    return new IndexWriterConfig(ANALYZER)
        .setSimilarity(SIMILARITY)
        .setMergePolicy(merges)
        .setUseCompoundFile(false);
  }

  static Document documentOf(String[] page, FieldType words) {
    Document document = new Document();
    document.add(new NumericDocValuesField("number", Long.parseLong(page[0])));
    addInstant(document, "acquired", page[1]);
    if (!page[2].isEmpty()) addInstant(document, "published", page[2]);
    // The fields of fieldsOf in page-file.ts.
    long share = ((Long.parseLong(page[0]) * 2_654_435_761L) & 0xffff_ffffL) * 1_000 >>> 32;
    document.add(new LongPoint("share", share));
    document.add(NumericDocValuesField.indexedField("share", share));
    document.add(new SortedDocValuesField("group", new BytesRef("g" + share % 10)));
    document.add(new StringField("site", hostOf(page[3]), Field.Store.NO));
    // The stored fields are in this order, so that StoredPage can stop before the text.
    if (!page[2].isEmpty()) document.add(new StoredField("published", Long.parseLong(page[2])));
    document.add(new StoredField("url", page[3]));
    document.add(new StoredField("title", page[4]));
    document.add(new StoredField(FIELD, page[5]));
    // The text comes first, so that the offsets of its words are those in the stored text.
    document.add(new Field(FIELD, page[5], words));
    document.add(new Field(FIELD, page[4], words));
    return document;
  }

  private static void addInstant(Document document, String name, String instant) {
    long value = Long.parseLong(instant);
    document.add(new LongPoint(name, value));
    document.add(NumericDocValuesField.indexedField(name, value));
  }

  private static String hostOf(String url) {
    int from = url.indexOf("://") + 3;
    int to = url.indexOf('/', from);
    return to < 0 ? url.substring(from) : url.substring(from, to);
  }

  /** Decodes the cells of a page in place: url, title and text. */
  static String[] unescaped(String[] page) {
    for (int i = 3; i < 6; i++) page[i] = unescape(page[i]);
    return page;
  }

  private static String unescape(String cell) {
    if (cell.indexOf('\\') < 0) return cell;
    StringBuilder plain = new StringBuilder(cell.length());
    for (int i = 0; i < cell.length(); i++) {
      char c = cell.charAt(i);
      if (c == '\\') {
        c = cell.charAt(++i);
        if (c == 'n') c = '\n';
        else if (c == 'r') c = '\r';
        else if (c == 't') c = '\t';
      }
      plain.append(c);
    }
    return plain.toString();
  }

  /** Bytes of the files that contain no stored text. */
  private static long indexBytes(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) if (!file.toString().matches(".*\\.fd[tmx]$")) bytes += Files.size(file);
    }
    return bytes;
  }

  /** Opens the index and answers one query: the time until the first answer of a fresh process. */
  private static String open(Path folder, Question first) throws IOException {
    long started = System.nanoTime();
    DirectoryReader reader = DirectoryReader.open(FSDirectory.open(folder));
    searchIn(new IndexSearcher(reader));
    search(first);
    long took = System.nanoTime() - started;
    return String.format(
        "{\"firstAnswerMs\":%.3f,\"segments\":%d,\"pages\":%d,\"version\":\"%s\",\"java\":\"%s\"}",
        took / 1e6, reader.leaves().size(), reader.numDocs(), Version.LATEST, System.getProperty("java.version"));
  }

  static void searchIn(IndexSearcher chosen) {
    searcher = chosen;
    searcher.setQueryCache(null);
    searcher.setSimilarity(SIMILARITY);
  }

  /** @param opening nanoseconds that the first question had to wait for the index. */
  static String ask(List<Question> questions, long opening) throws IOException {
    int count = questions.size();
    long[] wall = new long[count];
    long[] cpu = new long[count];
    Answer[] answers = new Answer[count];
    for (int i = 0; i < count; i++) {
      long cpuStarted = THREADS.getCurrentThreadCpuTime();
      long started = System.nanoTime();
      answers[i] = search(questions.get(i));
      wall[i] = System.nanoTime() - started + (i == 0 ? opening : 0);
      cpu[i] = THREADS.getCurrentThreadCpuTime() - cpuStarted;
    }
    StringBuilder json = new StringBuilder("{\"wallNs\":");
    appendNumbers(json, wall);
    appendNumbers(json.append(",\"cpuNs\":"), cpu);
    json.append(",\"found\":[");
    for (int i = 0; i < count; i++) {
      if (i > 0) json.append(',');
      appendNumbers(json, answers[i].numbers());
    }
    return json.append("]}").toString();
  }

  private static void appendNumbers(StringBuilder json, long[] numbers) {
    json.append('[');
    for (int i = 0; i < numbers.length; i++) {
      if (i > 0) json.append(',');
      json.append(numbers[i]);
    }
    json.append(']');
  }

  private static String show(List<Result> results) {
    StringBuilder json = new StringBuilder("[");
    for (Result result : results) {
      if (json.length() > 1) json.append(',');
      appendText(json.append("{\"url\":"), result.url());
      appendText(json.append(",\"title\":"), result.title());
      if (result.published() != null) json.append(",\"published\":").append(result.published());
      if (result.snippet() != null) appendText(json.append(",\"snippet\":"), result.snippet());
      json.append('}');
    }
    return json.append(']').toString();
  }

  private static void appendText(StringBuilder json, String text) {
    json.append('"');
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\' || c < ' ') json.append(String.format("\\u%04x", (int) c));
      else json.append(c);
    }
    json.append('"');
  }

  /** Answers queries for the given time; each thread answers one query at a time. */
  private static String flood(int threads, long millis, List<Question> questions) throws Exception {
    AtomicLong next = new AtomicLong();
    AtomicLong answered = new AtomicLong();
    long started = System.nanoTime();
    long until = started + millis * 1_000_000;
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread worker =
          new Thread(
              () -> {
                try {
                  while (System.nanoTime() < until) {
                    search(questions.get((int) (next.getAndIncrement() % questions.size())));
                    answered.incrementAndGet();
                  }
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      worker.start();
      workers.add(worker);
    }
    for (Thread worker : workers) worker.join();
    double seconds = (System.nanoTime() - started) / 1e9;
    return String.format("{\"answered\":%d,\"seconds\":%.3f}", answered.get(), seconds);
  }

  private static Answer search(Question question) throws IOException {
    int limit = question.offset() + question.limit();
    Query query = queryOf(question);
    if (question.facet()) facetCounts = searcher.search(query, new GroupCounts());
    String order = question.newest() ? "published" : question.form().equals("all") ? "acquired" : null;
    // Block-max WAND needs a threshold: hits beyond the limit are not counted.
    ScoreDoc[] hits =
        order == null
            ? searcher.search(query, new TopScoreDocCollectorManager(limit, limit)).scoreDocs
            : searcher.search(query, new TopFieldCollectorManager(descending(order), limit, limit)).scoreDocs;
    hits = Arrays.copyOfRange(hits, Math.min(question.offset(), hits.length), hits.length);
    List<Result> results = question.contents().equals("ids") ? List.of() : resultsOf(question, query, hits);
    long[] numbers = new long[hits.length];
    List<LeafReaderContext> leaves = searcher.getIndexReader().leaves();
    for (int i = 0; i < hits.length; i++) {
      LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(hits[i].doc, leaves));
      NumericDocValues column = leaf.reader().getNumericDocValues("number");
      column.advanceExact(hits[i].doc - leaf.docBase);
      numbers[i] = column.longValue();
    }
    return new Answer(numbers, results);
  }

  private static List<Result> resultsOf(Question question, Query query, ScoreDoc[] hits) throws IOException {
    boolean withSnippets = question.contents().equals("answers");
    StoredFields stored = searcher.storedFields();
    int[] documents = new int[hits.length];
    Map<Integer, StoredPage> pages = new HashMap<>();
    for (int i = 0; i < hits.length; i++) {
      documents[i] = hits[i].doc;
      StoredPage page = new StoredPage(withSnippets);
      stored.document(documents[i], page);
      pages.put(documents[i], page);
    }
    String[] snippets = withSnippets ? new Snippets(pages).of(query, documents) : new String[hits.length];
    List<Result> results = new ArrayList<>(hits.length);
    for (int i = 0; i < hits.length; i++) {
      StoredPage page = pages.get(documents[i]);
      results.add(new Result(page.url, page.title, page.published, snippets[i]));
    }
    return results;
  }

  /** Reads the stored fields of a page, and decodes the text only if it is wanted. */
  private static final class StoredPage extends StoredFieldVisitor {
    private final boolean withText;
    Long published;
    String url;
    String title;
    String text;

    StoredPage(boolean withText) {
      this.withText = withText;
    }

    @Override
    public Status needsField(FieldInfo field) {
      return !field.name.equals(FIELD) || withText ? Status.YES : Status.STOP;
    }

    @Override
    public void longField(FieldInfo field, long value) {
      published = value;
    }

    @Override
    public void stringField(FieldInfo field, String value) {
      if (field.name.equals("url")) url = value;
      else if (field.name.equals("title")) title = value;
      else text = value;
    }
  }

  /**
   * Makes a snippet of each text: the best passage of about {@link #SNIPPET_CHARS} characters between two full stops. The whole
   * text is considered, and not only its first 10,000 characters, which is the default.
   */
  private static final class Snippets extends UnifiedHighlighter {
    private final Map<Integer, StoredPage> pages;

    Snippets(Map<Integer, StoredPage> pages) {
      super(
          builder(Bench.searcher, ANALYZER)
              .withBreakIterator(
                  () ->
                      LengthGoalBreakIterator.createClosestToLength(
                          // BreakIterator.getSentenceInstance takes eight times as long.
                          new CustomSeparatorBreakIterator('.'), SNIPPET_CHARS, 0.5f))
              .withMaxLength(Integer.MAX_VALUE - 1)
              .withWeightMatches(false)
              .withPassageRelevancyOverSpeed(false));
      this.pages = pages;
    }

    String[] of(Query query, int[] documents) throws IOException {
      return highlightFields(new String[] {FIELD}, query, documents, new int[] {1}).get(FIELD);
    }

    /** Returns the texts that were read with the other stored fields, so that no document is read twice. */
    @Override
    protected List<CharSequence[]> loadFieldValues(String[] fields, DocIdSetIterator documents, int most)
        throws IOException {
      List<CharSequence[]> values = new ArrayList<>();
      for (int document; (document = documents.nextDoc()) != DocIdSetIterator.NO_MORE_DOCS; )
        values.add(new CharSequence[] {pages.get(document).text});
      return values;
    }
  }

  /** Orders pages by a date, the latest first. Pages without a date come last. */
  private static Sort descending(String field) {
    SortField order = new SortField(field, SortField.Type.LONG, true);
    order.setMissingValue(Long.MIN_VALUE);
    return new Sort(order);
  }

  /** The counts of the last query with facets. They are kept so that the compiler does not remove the counting. */
  private static int[] facetCounts;

  /**
   * Counts all matches by the ordinals of the field group, as SortedSetDocValuesFacetCounts of Lucene does. The index must have
   * one segment.
   */
  private static final class GroupCounts implements CollectorManager<GroupCounter, int[]> {
    @Override
    public GroupCounter newCollector() {
      return new GroupCounter();
    }

    @Override
    public int[] reduce(Collection<GroupCounter> collectors) {
      int[] sum = new int[10];
      for (GroupCounter one : collectors) for (int i = 0; i < sum.length; i++) sum[i] += one.counts[i];
      return sum;
    }
  }

  private static final class GroupCounter extends SimpleCollector {
    final int[] counts = new int[10];
    private SortedDocValues groups;

    @Override
    protected void doSetNextReader(LeafReaderContext context) throws IOException {
      groups = DocValues.getSorted(context.reader(), "group");
    }

    @Override
    public void collect(int doc) throws IOException {
      if (groups.advanceExact(doc)) counts[groups.ordValue()]++;
    }

    @Override
    public ScoreMode scoreMode() {
      return ScoreMode.COMPLETE_NO_SCORES;
    }
  }

  private static Query queryOf(Question question) throws IOException {
    List<Term> terms = new ArrayList<>();
    try (TokenStream tokens = ANALYZER.tokenStream(FIELD, question.words())) {
      CharTermAttribute text = tokens.addAttribute(CharTermAttribute.class);
      tokens.reset();
      while (tokens.incrementToken()) terms.add(new Term(FIELD, text.toString()));
      tokens.end();
    }
    Query words;
    if (question.form().equals("all")) words = MatchAllDocsQuery.INSTANCE;
    else if (question.form().equals("phrase")) {
      PhraseQuery.Builder phrase = new PhraseQuery.Builder();
      for (Term term : terms) phrase.add(term);
      words = phrase.build();
    } else {
      Occur occur = question.form().equals("and") ? Occur.MUST : Occur.SHOULD;
      BooleanQuery.Builder clauses = new BooleanQuery.Builder();
      for (Term term : terms) clauses.add(new TermQuery(term), occur);
      words = clauses.build();
    }
    BooleanQuery.Builder filtered = new BooleanQuery.Builder().add(words, Occur.MUST);
    boolean plain = true;
    if (question.acquiredFrom() != Long.MIN_VALUE || question.acquiredTo() != Long.MAX_VALUE) {
      filtered.add(range("acquired", question.acquiredFrom(), question.acquiredTo()), Occur.FILTER);
      plain = false;
    }
    if (question.publishedFrom() != Long.MIN_VALUE || question.publishedTo() != Long.MAX_VALUE) {
      filtered.add(range("published", question.publishedFrom(), question.publishedTo()), Occur.FILTER);
      plain = false;
    }
    if (!question.site().isEmpty()) {
      filtered.add(new TermQuery(new Term("site", question.site())), Occur.FILTER);
      plain = false;
    }
    if (question.shareBelow() != Integer.MAX_VALUE) {
      filtered.add(range("share", 0, question.shareBelow() - 1), Occur.FILTER);
      plain = false;
    }
    return plain ? words : filtered.build();
  }

  private static Query range(String name, long from, long to) {
    return new IndexOrDocValuesQuery(
        LongPoint.newRangeQuery(name, from, to), NumericDocValuesField.newSlowRangeQuery(name, from, to));
  }
}
