//! `cp.async.bulk.commit_group` and `.wait_group`: groups of bulk operations, and waiting for them.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.25.6", &["cp"], &[
    line("cp.async.bulk.commit_group"),
    line("cp.async.bulk.wait_group{.read} n"),
    line("cp.async.bulk.wait_group.sync_restrict::proxy::async n").since(Floor::new(9, 5, 90)),
], Meaning::Effect(Effect::CopyBulk))
    .about("make a group of bulk operations, or wait for groups",
        "Bulk operations since the last `commit_group` form a group; `wait_group` waits until at most `n` groups are under \
         way, with `.read` only until they have read their sources.")
    .operands(&[src("n", Is(U32)).constants(Immediate::Only(i64::MIN as i128, u64::MAX as i128))])
    .since(SINCE)
    .order(NAME)
    .examples(&["cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group.read 3;",
        "cp.async.bulk.wait_group.sync_restrict::proxy::async 1;"])
    .refused(&[("cp.async.bulk.wait_all;", "all groups are waited for by `cp.async.bulk.wait_group 0`")]);

/// From where on bulk operations exist.
pub(super) const SINCE: Floor = Floor::new(8, 0, 90);
/// The words that belong to the names of these instructions.
pub(super) const NAME: Order =
    Order::NameFirst(&[Reduce, Async, Bulk, Prefetch, Tensor, CommitGroup, WaitGroup]);
/// How many bytes a bulk operation moves.
pub(in crate::pages) const BYTES: Operand = src("size", Is(U32)).constants(Immediate::Steps(16, 0, 1_048_560));
/// From where on `.shared::cta` may be copied to.
pub(super) const OWN_CTA: Floor = Floor::new(8, 6, 90);
/// What is read; the second state space is its.
pub(in crate::pages) const SOURCE: Operand = src("a", Address).symbol().within(Within::Named(Slot::From));
/// The barrier object that counts the bytes.
pub(in crate::pages) const BARRIER: Operand = src("mbar", Address).symbol().within(Within::Always(Shared));
/// A bit for every CTA of the cluster that is copied to.
pub(super) const CTAS: Operand = src("ctas", Is(U16)).constants(Immediate::Range(0, 0xffff));
/// From where on what is brought into the cache may be said to last.
pub(super) const LASTING: Floor = Floor::family(9, 4, 107);
