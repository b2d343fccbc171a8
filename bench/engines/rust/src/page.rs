use crate::Outcome;

/// The cells of a line that page-file.ts wrote.
pub struct Page {
    pub number: u64,
    pub acquired: i64,
    pub published: Option<i64>,
    pub url: String,
    pub title: String,
    pub text: String,
}

impl Page {
    pub fn read(line: &str) -> Outcome<Page> {
        let cells: Vec<String> = line.split('\t').map(unescape).collect();
        let [number, acquired, published, url, title, text]: [String; 6] =
            cells.try_into().map_err(|cells: Vec<String>| format!("a page has 6 cells, not {}", cells.len()))?;
        let published = if published.is_empty() { None } else { Some(published.parse()?) };
        Ok(Page { number: number.parse()?, acquired: acquired.parse()?, published, url, title, text })
    }

    pub fn host(&self) -> Outcome<&str> {
        Ok(self.url.split('/').nth(2).ok_or("a URL has no host")?)
    }
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
