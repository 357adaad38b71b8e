//! `wgmma.commit_group`: make a group of the matrix operations so far.
use super::mma_async::SINCE;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.15.7.2", &["wgmma"], &[
    line("wgmma.commit_group.sync{.aligned}"),
], Meaning::Effect(Effect::GroupProducts))
    .about("close a group of matrix operations",
        "The matrix operations that the warpgroup has begun and that are in no group yet become one, for which \
         `wgmma.wait_group` can wait; the group may be empty.")
    .sets(&[("commit_group", Slot::Mode, Set::Of(&[CommitGroup]))])
    .since(SINCE)
    .order(Order::NameFirst(&[CommitGroup]))
    .examples(&["wgmma.commit_group.sync.aligned;"])
    .refused(&[("wgmma.commit_group.aligned;", "all threads of the warp wait for each other")]);
