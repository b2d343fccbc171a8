use tantivy::schema::OwnedValue;
use tantivy::schema::document::{DeserializeError, DocumentDeserialize, DocumentDeserializer};

/// The stored fields of a page without its text. The text is stored last, and is not decoded.
pub struct Head {
    pub published: Option<i64>,
    pub url: String,
    pub title: String,
}

/// All stored fields of a page.
pub struct Page {
    pub head: Head,
    pub text: String,
}

impl DocumentDeserialize for Head {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut deserializer: D) -> Result<Head, DeserializeError> {
        head(&mut deserializer)
    }
}

impl DocumentDeserialize for Page {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut deserializer: D) -> Result<Page, DeserializeError> {
        Ok(Page { head: head(&mut deserializer)?, text: text(next(&mut deserializer)?)? })
    }
}

/// The fields have the order in which indexing.rs adds them; undated pages have no date.
fn head<'de>(deserializer: &mut impl DocumentDeserializer<'de>) -> Result<Head, DeserializeError> {
    let (published, url) = match next(deserializer)? {
        OwnedValue::I64(published) => (Some(published), text(next(deserializer)?)?),
        url => (None, text(url)?),
    };
    Ok(Head { published, url, title: text(next(deserializer)?)? })
}

fn next<'de>(deserializer: &mut impl DocumentDeserializer<'de>) -> Result<OwnedValue, DeserializeError> {
    let field = deserializer.next_field()?.ok_or_else(|| DeserializeError::custom("a stored field is missing"))?;
    Ok(field.1)
}

fn text(value: OwnedValue) -> Result<String, DeserializeError> {
    match value {
        OwnedValue::Str(text) => Ok(text),
        other => Err(DeserializeError::custom(format!("a text is expected, not {other:?}"))),
    }
}
