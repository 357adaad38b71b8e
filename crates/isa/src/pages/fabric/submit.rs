//! `fabric.submit` and `fabric.wait`: send off operations through the fabric, and wait for them.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.11.5.5", &["fabric"], &[
    line("fabric.submit{.op_restrict::fetching}"),
    line("fabric.submit.commit_group").since(GROUPS),
    line("fabric.wait.sync_restrict::reads"),
    line("fabric.wait.read n").since(GROUPS),
], Meaning::NotYet)
    .about("submit fabric operations, or wait for them",
        "What the thread has asked of the fabric is begun; `.wait` waits until it has read its sources.")
    .sets(&[("commit_group", Slot::Action2, Set::Of(&[CommitGroup])), ("read", Slot::Hint, Set::Of(&[SyncRestrictRead, SyncRestrictReads]))])
    .operands(&[src("n", Is(U32)).constants(Immediate::Only(i64::MIN as i128, u64::MAX as i128))])
    .since(Floor::new(9, 3, 100))
    .order(Order::NameFirst(&[Submit, CommitGroup, Wait]))
    .examples(&["fabric.submit;", "fabric.submit.commit_group;", "fabric.wait.sync_restrict::reads;", "fabric.wait.sync_restrict::read 2;"]);

const GROUPS: Floor = Floor::new(9, 5, 100);
