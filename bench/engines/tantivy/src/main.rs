//! Runs tantivy for the bench. Reads the commands index, open, ask, show and flood from standard input, one per line with fields
//! separated by tabs, and writes one line of JSON per command. program-process.ts is the caller.

mod indexing;
mod question;
mod schema;
mod searching;
mod stored;

use std::error::Error;
use std::io::{BufRead, StdinLock, Write, stdin, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use question::Question;
use searching::{Searching, StoredResult};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut input = stdin().lock();
    let mut searching = None;
    while let Some(line) = read_line(&mut input)? {
        let command: Vec<&str> = line.split('\t').collect();
        let reply = match command[0] {
            "index" => indexing::index(Path::new(command[1]), Path::new(command[2]), command[3].parse()?)?,
            "open" => {
                let first = read_questions(&mut input, 1)?;
                open(&mut searching, Path::new(command[1]), &first[0])?
            }
            "ask" => {
                let questions = read_questions(&mut input, command[1].parse()?)?;
                ask(searching.as_ref().ok_or("no index is open")?, &questions)?
            }
            "show" => {
                let shown = read_questions(&mut input, 1)?;
                show(searching.as_ref().ok_or("no index is open")?, &shown[0])?
            }
            "flood" => {
                let questions = read_questions(&mut input, command[3].parse()?)?;
                let time = Duration::from_millis(command[2].parse()?);
                flood(searching.as_ref().ok_or("no index is open")?, command[1].parse()?, time, &questions)
            }
            other => return Err(format!("unknown command {other}").into()),
        };
        let mut output = stdout().lock();
        writeln!(output, "{reply}")?;
        output.flush()?;
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
fn open(searching: &mut Option<Searching>, folder: &Path, first: &Question) -> Outcome<String> {
    let started = Instant::now();
    let opened = searching.insert(Searching::open(folder)?);
    opened.search(first)?;
    let took_ms = started.elapsed().as_secs_f64() * 1e3;
    let (segments, pages) = opened.size();
    Ok(format!("{{\"firstAnswerMs\":{took_ms:.3},\"segments\":{segments},\"pages\":{pages}}}"))
}

fn ask(searching: &Searching, questions: &[Question]) -> Outcome<String> {
    let mut wall = Vec::with_capacity(questions.len());
    let mut cpu = Vec::with_capacity(questions.len());
    let mut found = Vec::with_capacity(questions.len());
    for question in questions {
        let cpu_started = ThreadTime::now();
        let started = Instant::now();
        let answer = searching.search(question)?;
        wall.push(started.elapsed().as_nanos());
        cpu.push(cpu_started.elapsed().as_nanos());
        found.push(answer.numbers);
    }
    // The debug form of a list of numbers is JSON.
    Ok(format!("{{\"wallNs\":{wall:?},\"cpuNs\":{cpu:?},\"found\":{found:?}}}"))
}

fn show(searching: &Searching, question: &Question) -> Outcome<String> {
    let shown =
        searching.search(question)?.results.into_iter().map(|StoredResult { url, title, published, snippet }| {
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
fn flood(searching: &Searching, threads: usize, time: Duration, questions: &[Question]) -> String {
    let next = AtomicUsize::new(0);
    let answered = AtomicU64::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while started.elapsed() < time {
                    let question = &questions[next.fetch_add(1, Ordering::Relaxed) % questions.len()];
                    searching.search(question).expect("the search fails");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    format!("{{\"answered\":{},\"seconds\":{seconds:.3}}}", answered.into_inner())
}
