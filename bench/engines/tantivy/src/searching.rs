use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Bound, RangeInclusive};
use std::path::Path;

use asof_bench_engine::{Answer, Contents, Engine, Form, Outcome, Question, SNIPPET_CHARS, StoredResult};
use tantivy::collector::sort_key::{NaturalComparator, SortBySimilarityScore};
use tantivy::collector::{SortKeyComputer, TopDocs};
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::{TextAnalyzer, TokenStream};
use tantivy::{DocAddress, DocId, Index, ReloadPolicy, Score, Searcher, SegmentReader, Term};

use crate::indexing::{PageWriter, merge_all};
use crate::schema::{ACQUIRED, Fields, NUMBER, PUBLISHED, analyzer, register_analyzer, schema};
use crate::stored::{Head, Page};

/// Maximum number of terms for block-max WAND in a window of dates. With more terms, scoring all documents in the
/// window takes less time.
const MOST_WAND_TERMS: usize = 8;

/// An open index.
pub struct Searching {
    searcher: Searcher,
    /// The columns of each segment, opened once.
    columns: Vec<Columns>,
    fields: Fields,
    analyzer: TextAnalyzer,
}

impl Engine for Searching {
    type Writer = PageWriter;

    fn create(folder: &Path) -> Outcome<PageWriter> {
        PageWriter::create(folder)
    }

    fn open(folder: &Path) -> Outcome<Searching> {
        let index = Index::open_in_dir(folder)?;
        register_analyzer(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let columns = searcher.segment_readers().iter().map(Columns::open).collect::<tantivy::Result<_>>()?;
        Ok(Searching { searcher, columns, fields: schema().1, analyzer: analyzer() })
    }

    fn size(&self) -> (usize, u64) {
        (self.searcher.segment_readers().len(), self.searcher.num_docs())
    }

    fn search(&self, question: &Question) -> Outcome<Answer> {
        let terms = self.terms(&question.words);
        let windows: Vec<Window> =
            [(DateField::Acquired, &question.acquired), (DateField::Published, &question.published)]
                .into_iter()
                .filter_map(|(field, window)| Some(Window { field, window: window.clone()? }))
                .collect();
        let top = TopDocs::with_limit(question.limit);
        // Snippets are made with the words, not with the filters.
        let words = (question.contents == Contents::Answers).then(|| self.words(question, terms.clone()));
        let hits = if windows.is_empty() || terms.len() > MOST_WAND_TERMS {
            self.searcher.search(&self.query(question, terms, &windows), &top.order_by_score())?
        } else {
            self.searcher.search(&self.query(question, terms, &[]), &top.order_by(self.score_in(&windows)))?
        };
        let addresses = hits.iter().map(|(_, address)| *address);
        let results = match (question.contents, words) {
            (Contents::Ids, _) => Vec::new(),
            (_, None) => addresses.map(|address| self.result(address)).collect::<tantivy::Result<_>>()?,
            (_, Some(words)) => {
                let mut snippets = SnippetGenerator::create(&self.searcher, &*words, self.fields.text)?;
                snippets.set_max_num_chars(SNIPPET_CHARS);
                addresses.map(|address| self.result_with_snippet(address, &snippets)).collect::<tantivy::Result<_>>()?
            }
        };
        Ok(Answer { numbers: hits.iter().map(|(_, address)| self.number(address)).collect(), results })
    }

    /// Merges all segments into one.
    fn finish(folder: &Path) -> Outcome<()> {
        let index = Index::open_in_dir(folder)?;
        register_analyzer(&index);
        merge_all(&index)
    }

    fn is_stored_text(file: &Path) -> bool {
        file.extension().is_some_and(|extension| extension == "store")
    }
}

impl Searching {
    fn result(&self, address: DocAddress) -> tantivy::Result<StoredResult> {
        let Head { published, url, title } = self.searcher.doc(address)?;
        Ok(StoredResult { url, title, published, snippet: None })
    }

    fn result_with_snippet(&self, address: DocAddress, snippets: &SnippetGenerator) -> tantivy::Result<StoredResult> {
        let Page { head: Head { published, url, title }, text } = self.searcher.doc(address)?;
        let snippet = snippets.snippet(&text);
        // A page may have the words in its title alone. The other engines then show the beginning of its text.
        let snippet = if snippet.is_empty() { text.chars().take(SNIPPET_CHARS).collect() } else { snippet.to_html() };
        Ok(StoredResult { url, title, published, snippet: Some(snippet) })
    }

    fn words(&self, question: &Question, terms: Vec<Term>) -> Box<dyn Query> {
        let clauses = |occur: Occur| {
            let clause = |term| (occur, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Box<dyn Query>);
            terms.iter().cloned().map(clause).collect::<Vec<_>>()
        };
        match question.form {
            // PhraseQuery takes at least two terms.
            Form::Phrase if terms.len() > 1 => Box::new(PhraseQuery::new(terms)),
            Form::Phrase | Form::And => Box::new(BooleanQuery::new(clauses(Occur::Must))),
            Form::Or => Box::new(BooleanQuery::new(clauses(Occur::Should))),
        }
    }

    fn query(&self, question: &Question, terms: Vec<Term>, windows: &[Window]) -> Box<dyn Query> {
        let words = self.words(question, terms);
        let mut filters: Vec<Box<dyn Query>> = windows.iter().map(|window| self.range(window)).collect();
        if let Some(site) = &question.site {
            let term = Term::from_field_text(self.fields.site, site);
            filters.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
        }
        if filters.is_empty() {
            return words;
        }
        let filter = |query| (Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0)) as Box<dyn Query>);
        let clauses = std::iter::once((Occur::Must, words)).chain(filters.into_iter().map(filter));
        Box::new(BooleanQuery::new(clauses.collect()))
    }

    fn range(&self, Window { field, window }: &Window) -> Box<dyn Query> {
        let field = match field {
            DateField::Acquired => self.fields.acquired,
            DateField::Published => self.fields.published,
        };
        let bound = |value: &i64| Bound::Included(Term::from_field_i64(field, *value));
        Box::new(RangeQuery::new(bound(window.start()), bound(window.end())))
    }

    fn terms(&self, words: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut analyzer = self.analyzer.clone();
        let mut tokens = analyzer.token_stream(words);
        while let Some(token) = tokens.next() {
            terms.push(Term::from_field_text(self.fields.text, &token.text));
        }
        terms
    }

    fn score_in(&self, windows: &[Window]) -> ScoreInWindows {
        let dates_of = |columns: &Columns| {
            windows.iter().map(|Window { field, window }| (columns.date(*field).clone(), window.clone())).collect()
        };
        ScoreInWindows { dates: self.columns.iter().map(dates_of).collect() }
    }

    fn number(&self, address: &DocAddress) -> u64 {
        self.columns[address.segment_ord as usize].number.first(address.doc_id).unwrap_or(u64::MAX)
    }
}

#[derive(Clone, Copy)]
enum DateField {
    Acquired,
    Published,
}

/// A condition on a date.
struct Window {
    field: DateField,
    window: RangeInclusive<i64>,
}

struct Columns {
    number: Column<u64>,
    acquired: Column<i64>,
    published: Column<i64>,
}

impl Columns {
    fn open(reader: &SegmentReader) -> tantivy::Result<Columns> {
        let columns = reader.fast_fields();
        Ok(Columns {
            number: columns.u64(NUMBER)?,
            acquired: columns.i64(ACQUIRED)?,
            published: columns.i64(PUBLISHED)?,
        })
    }

    fn date(&self, field: DateField) -> &Column<i64> {
        match field {
            DateField::Acquired => &self.acquired,
            DateField::Published => &self.published,
        }
    }
}

/// Orders by score the documents whose dates are in all windows. Block-max WAND still skips documents, which it does not
/// if the windows are RangeQueries in a BooleanQuery.
struct ScoreInWindows {
    /// For each segment the columns of the dates, and the windows that they must be in.
    dates: Vec<Vec<(Column<i64>, RangeInclusive<i64>)>>,
}

impl SortKeyComputer for ScoreInWindows {
    type SortKey = Score;
    type Child = SortBySimilarityScore;
    type Comparator = NaturalComparator;

    fn requires_scoring(&self) -> bool {
        true
    }

    fn segment_sort_key_computer(&self, _reader: &SegmentReader) -> tantivy::Result<SortBySimilarityScore> {
        Ok(SortBySimilarityScore)
    }

    fn collect_segment_top_k(
        &self,
        limit: usize,
        weight: &dyn Weight,
        reader: &SegmentReader,
        segment: u32,
    ) -> tantivy::Result<Vec<(Score, DocAddress)>> {
        let dates = &self.dates[segment as usize];
        let mut best: BinaryHeap<Reverse<Hit>> = BinaryHeap::with_capacity(limit + 1);
        let mut threshold = Score::MIN;
        weight.for_each_pruning(threshold, reader, &mut |document, score| {
            if dates.iter().all(|(date, window)| date.first(document).is_some_and(|date| window.contains(&date))) {
                best.push(Reverse(Hit { score, document }));
                if best.len() > limit {
                    best.pop();
                }
                if best.len() == limit
                    && let Some(Reverse(last)) = best.peek()
                {
                    threshold = last.score;
                }
            }
            threshold
        })?;
        Ok(best.into_iter().map(|Reverse(hit)| (hit.score, DocAddress::new(segment, hit.document))).collect())
    }
}

/// A hit is greater than one with a lower score, or with an equal score and a higher document.
#[derive(PartialEq)]
struct Hit {
    score: Score,
    document: DocId,
}

impl Eq for Hit {}

impl Ord for Hit {
    fn cmp(&self, other: &Hit) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.document.cmp(&self.document))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
