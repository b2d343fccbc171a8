use std::path::Path;

use asof_bench_engine::{Outcome, Page, Writer};
use tantivy::{Index, IndexWriter, TantivyDocument};

use crate::schema::{Fields, register_analyzer, schema};

const WRITER_BYTES: usize = 64 << 20;

/// Indexes in one thread.
pub struct PageWriter {
    writer: IndexWriter,
    fields: Fields,
}

impl PageWriter {
    pub fn create(folder: &Path) -> Outcome<PageWriter> {
        let (schema, fields) = schema();
        let index = Index::create_in_dir(folder, schema)?;
        register_analyzer(&index);
        Ok(PageWriter { writer: index.writer_with_num_threads(1, WRITER_BYTES)?, fields })
    }
}

impl Writer for PageWriter {
    fn add(&mut self, page: &Page) -> Outcome<()> {
        self.writer.add_document(document(&self.fields, page)?)?;
        Ok(())
    }

    fn commit(&mut self) -> Outcome<()> {
        self.writer.commit()?;
        Ok(())
    }

    fn settle(self) -> Outcome<()> {
        Ok(self.writer.wait_merging_threads()?)
    }
}

fn document(fields: &Fields, page: &Page) -> Outcome<TantivyDocument> {
    let mut document = TantivyDocument::default();
    document.add_u64(fields.number, page.number);
    document.add_i64(fields.acquired, page.acquired);
    if let Some(published) = page.published {
        document.add_i64(fields.published, published);
    }
    document.add_text(fields.site, page.host()?);
    document.add_text(fields.url, &page.url);
    document.add_text(fields.text, &page.title);
    document.add_text(fields.text, &page.text);
    Ok(document)
}

pub fn merge_all(index: &Index) -> Outcome<()> {
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
        writer.garbage_collect_files().wait()?;
    }
    writer.wait_merging_threads()?;
    Ok(())
}
