use std::fs::{File, read_dir};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use tantivy::{Index, IndexWriter, TantivyDocument};

use crate::Outcome;
use crate::schema::{Fields, register_analyzer, schema};

const WRITER_BYTES: usize = 64 << 20;

/// Indexes a page file in one thread and commits once, at the end. Reading the pages is not timed. Then merges all segments into
/// one, which is neither timed nor counted.
pub fn index(pages: &Path, folder: &Path, batch: usize) -> Outcome<String> {
    let (schema, fields) = schema();
    let index = Index::create_in_dir(folder, schema)?;
    register_analyzer(&index);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let mut lines = BufReader::with_capacity(1 << 20, File::open(pages)?).lines();
    let mut batch_ns = Vec::new();
    let mut added = Duration::ZERO;
    let mut read_cpu = Duration::ZERO;
    let mut count = 0;
    loop {
        let reading = ThreadTime::now();
        let read: Vec<[String; 6]> = lines.by_ref().take(batch).map(|line| page(&line?)).collect::<Outcome<_>>()?;
        read_cpu += reading.elapsed();
        if read.is_empty() {
            break;
        }
        let started = Instant::now();
        for page in &read {
            writer.add_document(document(&fields, page)?)?;
        }
        let took = started.elapsed();
        added += took;
        count += read.len();
        batch_ns.push(took.as_nanos() / read.len() as u128);
    }
    let started = Instant::now();
    writer.commit()?;
    added += started.elapsed();
    let settling = Instant::now();
    writer.wait_merging_threads()?;
    let settle_ms = settling.elapsed().as_millis();
    let cpu_ms = (ProcessTime::now().as_duration() - read_cpu).as_millis();

    merge_all(&index)?;
    Ok(format!(
        "{{\"pages\":{count},\"addMs\":{},\"settleMs\":{settle_ms},\"cpuMs\":{cpu_ms},\"slowestNsPerPage\":{},\
         \"fastestNsPerPage\":{},\"indexBytes\":{}}}",
        added.as_millis(),
        batch_ns.iter().max().unwrap_or(&0),
        batch_ns.iter().min().unwrap_or(&0),
        index_bytes(folder)?
    ))
}

/// Reads the cells of a line that page-file.ts wrote: number, acquiredAt, publishedAt, url, title, text.
fn page(line: &str) -> Outcome<[String; 6]> {
    let cells: Vec<String> = line.split('\t').map(unescape).collect();
    cells.try_into().map_err(|cells: Vec<String>| format!("a page has 6 cells, not {}", cells.len()).into())
}

fn unescape(cell: &str) -> String {
    let mut plain = String::with_capacity(cell.len());
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                other => other.unwrap_or('\\'),
            },
            _ => character,
        });
    }
    plain
}

fn document(
    fields: &Fields,
    [number, acquired, published, url, title, text]: &[String; 6],
) -> Outcome<TantivyDocument> {
    let mut document = TantivyDocument::default();
    document.add_u64(fields.number, number.parse()?);
    document.add_i64(fields.acquired, acquired.parse()?);
    if !published.is_empty() {
        document.add_i64(fields.published, published.parse()?);
    }
    let host = url.split('/').nth(2).ok_or("a URL has no host")?;
    document.add_text(fields.site, host);
    document.add_text(fields.url, url);
    document.add_text(fields.text, title);
    document.add_text(fields.text, text);
    Ok(document)
}

fn merge_all(index: &Index) -> Outcome<()> {
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
        writer.garbage_collect_files().wait()?;
    }
    writer.wait_merging_threads()?;
    Ok(())
}

/// Bytes of the files that contain no stored text.
fn index_bytes(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_none_or(|extension| extension != "store") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}
