use std::fs::{File, read_dir};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use serde_json::json;

use crate::{Engine, Outcome, Page, Writer};

/// Indexes a page file in one thread and commits once, at the end. Reading the pages is not timed.
pub fn index<E: Engine>(pages: &Path, folder: &Path, batch: usize) -> Outcome<String> {
    let mut writer = E::create(folder)?;
    let mut lines = BufReader::with_capacity(1 << 20, File::open(pages)?).lines();
    let mut batch_ns = Vec::new();
    let mut added = Duration::ZERO;
    let mut read_cpu = Duration::ZERO;
    let mut count = 0;
    loop {
        let reading = ThreadTime::now();
        let read: Vec<Page> = lines.by_ref().take(batch).map(|line| Page::read(&line?)).collect::<Outcome<_>>()?;
        read_cpu += reading.elapsed();
        if read.is_empty() {
            break;
        }
        let started = Instant::now();
        for page in &read {
            writer.add(page)?;
        }
        let took = started.elapsed();
        added += took;
        count += read.len();
        batch_ns.push(took.as_nanos() as u64 / read.len() as u64);
    }
    let started = Instant::now();
    writer.commit()?;
    added += started.elapsed();
    let settling = Instant::now();
    writer.settle()?;
    let settle_ms = settling.elapsed().as_millis() as u64;
    let cpu_ms = (ProcessTime::now().as_duration() - read_cpu).as_millis() as u64;
    E::finish(folder)?;
    let figures = json!({
        "pages": count,
        "addMs": added.as_millis() as u64,
        "settleMs": settle_ms,
        "cpuMs": cpu_ms,
        "slowestNsPerPage": batch_ns.iter().max().unwrap_or(&0),
        "fastestNsPerPage": batch_ns.iter().min().unwrap_or(&0),
        "indexBytes": index_bytes::<E>(folder)?,
    });
    Ok(figures.to_string())
}

/// Bytes of the files that contain no stored text.
fn index_bytes<E: Engine>(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            bytes += index_bytes::<E>(&path)?;
        } else if !E::is_stored_text(&path) {
            bytes += path.metadata()?.len();
        }
    }
    Ok(bytes)
}
