//! Runs tantivy for the bench, by the commands of asof-bench-engine.

mod indexing;
mod schema;
mod searching;
mod stored;

use std::fs::File;
use std::io::stdout;
use std::os::fd::AsFd;

use asof_bench_engine::{Outcome, run};
use searching::Searching;

fn main() -> Outcome<()> {
    run::<Searching>(File::from(stdout().as_fd().try_clone_to_owned()?))
}
