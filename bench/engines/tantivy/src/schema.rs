use tantivy::Index;
use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Language, LowerCaser, SimpleTokenizer, Stemmer, TextAnalyzer};

pub const NUMBER: &str = "number";
pub const ACQUIRED: &str = "acquired";
pub const PUBLISHED: &str = "published";

const ANALYZER: &str = "pages";

pub struct Fields {
    pub number: Field,
    pub acquired: Field,
    pub published: Field,
    pub site: Field,
    pub url: Field,
    /// Title and text share one field, as in Lucene.
    pub text: Field,
}

pub fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words =
        TextFieldIndexing::default().set_tokenizer(ANALYZER).set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        number: schema.add_u64_field(NUMBER, FAST),
        acquired: schema.add_i64_field(ACQUIRED, FAST),
        published: schema.add_i64_field(PUBLISHED, FAST | STORED),
        site: schema.add_text_field("site", STRING),
        url: schema.add_text_field("url", STORED),
        text: schema.add_text_field("text", TextOptions::default().set_indexing_options(words).set_stored()),
    };
    (schema.build(), fields)
}

/// Splits a text into words, converts them to lower case and stems them. Removes no stop words.
pub fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default()).filter(LowerCaser).filter(Stemmer::new(Language::English)).build()
}

pub fn register_analyzer(index: &Index) {
    index.tokenizers().register(ANALYZER, analyzer());
}
