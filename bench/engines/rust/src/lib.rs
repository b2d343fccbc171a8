//! Runs an engine for the bench. Reads the commands index, open, ask, show and flood from standard input, one per line with
//! fields separated by tabs, and writes one line of JSON per command. program-process.ts is the caller.

mod indexing;
mod page;
mod question;

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, StdinLock, Write, stdin};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use serde_json::{Value, json};

pub use page::Page;
pub use question::{Contents, Form, Question};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The length of a snippet of asof.
pub const SNIPPET_CHARS: usize = 600;

/// An open index.
pub trait Engine: Sized + Sync {
    type Writer: Writer;
    /// Creates an index in an existing folder.
    fn create(folder: &Path) -> Outcome<Self::Writer>;
    fn open(folder: &Path) -> Outcome<Self>;
    /// Number of segments and of documents.
    fn size(&self) -> (usize, u64);
    fn search(&self, question: &Question) -> Outcome<Answer>;
    /// Merges a new index as far as the engine can. Neither the time nor the memory counts.
    fn finish(folder: &Path) -> Outcome<()>;
    /// True for the files of the stored texts.
    fn is_stored_text(file: &Path) -> bool;
}

pub trait Writer {
    fn add(&mut self, page: &Page) -> Outcome<()>;
    fn commit(&mut self) -> Outcome<()>;
    /// Waits until background merges are done.
    fn settle(self) -> Outcome<()>;
}

/// The page numbers of the results, best first, and the results themselves, which are empty for `Contents::Ids`.
pub struct Answer {
    pub numbers: Vec<u64>,
    pub results: Vec<StoredResult>,
}

/// `snippet` is in answers only.
pub struct StoredResult {
    pub url: String,
    pub title: String,
    pub published: Option<i64>,
    pub snippet: Option<String>,
}

/// Executes commands until standard input ends.
///
/// `output` receives the replies.
pub fn run<E: Engine>(mut output: File) -> Outcome<()> {
    let mut input = stdin().lock();
    let mut engine: Option<E> = None;
    while let Some(line) = read_line(&mut input)? {
        let command: Vec<&str> = line.split('\t').collect();
        let reply = match command[0] {
            "index" => indexing::index::<E>(Path::new(command[1]), Path::new(command[2]), command[3].parse()?)?,
            "open" => {
                let first = read_questions(&mut input, 1)?;
                open(&mut engine, Path::new(command[1]), &first[0])?
            }
            "ask" => {
                let questions = read_questions(&mut input, command[1].parse()?)?;
                ask(engine.as_ref().ok_or("no index is open")?, &questions)?
            }
            "show" => {
                let shown = read_questions(&mut input, 1)?;
                show(engine.as_ref().ok_or("no index is open")?, &shown[0])?
            }
            "flood" => {
                let questions = read_questions(&mut input, command[3].parse()?)?;
                let time = Duration::from_millis(command[2].parse()?);
                flood(engine.as_ref().ok_or("no index is open")?, command[1].parse()?, time, &questions)
            }
            other => return Err(format!("unknown command {other}").into()),
        };
        writeln!(output, "{reply}")?;
    }
    Ok(())
}

fn read_line(input: &mut StdinLock) -> Outcome<Option<String>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches('\n').to_string()))
}

fn read_questions(input: &mut StdinLock, count: usize) -> Outcome<Vec<Question>> {
    (0..count).map(|_| Question::read(&read_line(input)?.ok_or("a question is missing")?)).collect()
}

/// Opens the index and answers one query: the time until the first answer of a fresh process.
fn open<E: Engine>(engine: &mut Option<E>, folder: &Path, first: &Question) -> Outcome<String> {
    let started = Instant::now();
    let opened = engine.insert(E::open(folder)?);
    opened.search(first)?;
    let took_ms = started.elapsed().as_secs_f64() * 1e3;
    let (segments, pages) = opened.size();
    Ok(format!("{{\"firstAnswerMs\":{took_ms:.3},\"segments\":{segments},\"pages\":{pages}}}"))
}

fn ask(engine: &impl Engine, questions: &[Question]) -> Outcome<String> {
    let mut wall = Vec::with_capacity(questions.len());
    let mut cpu = Vec::with_capacity(questions.len());
    let mut found = Vec::with_capacity(questions.len());
    for question in questions {
        let cpu_started = ThreadTime::now();
        let started = Instant::now();
        let answer = engine.search(question)?;
        wall.push(started.elapsed().as_nanos());
        cpu.push(cpu_started.elapsed().as_nanos());
        found.push(answer.numbers);
    }
    // The debug form of a list of numbers is JSON.
    Ok(format!("{{\"wallNs\":{wall:?},\"cpuNs\":{cpu:?},\"found\":{found:?}}}"))
}

fn show(engine: &impl Engine, question: &Question) -> Outcome<String> {
    let shown = engine.search(question)?.results.into_iter().map(|StoredResult { url, title, published, snippet }| {
        let mut result = json!({ "url": url, "title": title });
        if let Some(published) = published {
            result["published"] = published.into();
        }
        if let Some(snippet) = snippet {
            result["snippet"] = snippet.into();
        }
        result
    });
    Ok(shown.collect::<Value>().to_string())
}

/// Answers queries for the given time; each thread answers one query at a time.
fn flood(engine: &impl Engine, threads: usize, time: Duration, questions: &[Question]) -> String {
    let next = AtomicUsize::new(0);
    let answered = AtomicU64::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while started.elapsed() < time {
                    let question = &questions[next.fetch_add(1, Ordering::Relaxed) % questions.len()];
                    engine.search(question).expect("the search fails");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    format!("{{\"answered\":{},\"seconds\":{seconds:.3}}}", answered.into_inner())
}
