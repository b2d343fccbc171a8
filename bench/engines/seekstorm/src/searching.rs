use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;

use asof_bench_engine::{Answer, Contents, Engine, Form, Outcome, Question, SNIPPET_CHARS, StoredResult};
use seekstorm::highlighter::{Highlight, Highlighter, highlighter};
use seekstorm::index::{Document, Index, IndexArc, open_index};
use seekstorm::search::{FacetFilter, FacetValue, QueryRewriting, QueryType, ResultType, Search, SearchMode};
use tokio::runtime::Runtime;

use crate::indexing::{ACQUIRED, NUMBER, PUBLISHED, PageWriter, SITE, TEXT, TITLE, URL, runtime};

const SNIPPET: &str = "snippet";
/// SeekStorm makes a snippet of the best sentences, each of which it shortens.
const SENTENCES: usize = 4;

/// An open index.
pub struct Searching {
    index: IndexArc,
    runtime: Runtime,
}

impl Engine for Searching {
    type Writer = PageWriter;

    fn create(folder: &Path) -> Outcome<PageWriter> {
        PageWriter::create(folder)
    }

    fn open(folder: &Path) -> Outcome<Searching> {
        let runtime = runtime()?;
        let index = runtime.block_on(open_index(folder))?;
        Ok(Searching { index, runtime })
    }

    /// The levels of SeekStorm, of 65,536 documents each, are its segments.
    fn size(&self) -> (usize, u64) {
        self.runtime.block_on(async {
            let index = self.index.read().await;
            (index.level_count().await, index.current_doc_count().await as u64)
        })
    }

    fn search(&self, question: &Question) -> Outcome<Answer> {
        self.runtime.block_on(self.answer(question))
    }

    /// SeekStorm merges nothing.
    fn finish(_: &Path) -> Outcome<()> {
        Ok(())
    }

    fn is_stored_text(file: &Path) -> bool {
        file.ends_with("docstore.bin")
    }
}

impl Searching {
    async fn answer(&self, question: &Question) -> Outcome<Answer> {
        let found = self
            .index
            .search(
                question.words.clone(),
                None,
                match question.form {
                    Form::Or => QueryType::Union,
                    Form::And => QueryType::Intersection,
                    Form::Phrase => QueryType::Phrase,
                },
                SearchMode::Lexical,
                false,
                0,
                question.limit,
                ResultType::Topk,
                false,
                Vec::new(),
                Vec::new(),
                filters(question),
                Vec::new(),
                QueryRewriting::SearchOnly,
            )
            .await;
        let snippets = match question.contents {
            Contents::Answers => Some(highlighter(&self.index, vec![highlight()], found.query_terms).await),
            _ => None,
        };
        let index = self.index.read().await;
        let mut answer = Answer { numbers: Vec::new(), results: Vec::new() };
        for hit in found.results {
            answer.numbers.push(number(&index, hit.doc_id).await?);
            if question.contents != Contents::Ids {
                answer.results.push(result(&index, hit.doc_id, &snippets).await?);
            }
        }
        Ok(answer)
    }
}

fn highlight() -> Highlight {
    Highlight {
        field: TEXT.into(),
        name: SNIPPET.into(),
        fragment_number: SENTENCES,
        fragment_size: SNIPPET_CHARS / SENTENCES,
        ..Highlight::default()
    }
}

fn filters(question: &Question) -> Vec<FacetFilter> {
    let range = |field: &str, window: &RangeInclusive<i64>| FacetFilter::I64 {
        field: field.into(),
        filter: *window.start()..window.end().saturating_add(1),
    };
    let acquired = question.acquired.as_ref().map(|window| range(ACQUIRED, window));
    let published = question.published.as_ref().map(|window| range(PUBLISHED, window));
    let site =
        question.site.as_ref().map(|site| FacetFilter::String16 { field: SITE.into(), filter: vec![site.clone()] });
    [acquired, published, site].into_iter().flatten().collect()
}

async fn number(index: &Index, document: usize) -> Outcome<u64> {
    match index.get_facet_value(NUMBER, document).await {
        FacetValue::U64(number) => Ok(number),
        other => Err(format!("a page has the number {other:?}").into()),
    }
}

async fn result(index: &Index, document: usize, snippets: &Option<Highlighter>) -> Outcome<StoredResult> {
    let page = index.get_document(document, false, snippets, &HashSet::new(), &[]).await?;
    Ok(StoredResult {
        url: text(&page, URL)?,
        title: text(&page, TITLE)?,
        published: page.get(PUBLISHED).and_then(|published| published.as_i64()),
        snippet: snippets.as_ref().map(|_| text(&page, SNIPPET)).transpose()?,
    })
}

fn text(page: &Document, field: &str) -> Outcome<String> {
    Ok(page.get(field).and_then(|value| value.as_str()).ok_or_else(|| format!("a page has no {field}"))?.to_string())
}
