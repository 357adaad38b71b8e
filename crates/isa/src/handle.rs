//! What stands for a texture, a sampler or a surface (manual, 5.3).

/// What an opaque variable or its handle stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// `.texref`.
    Texture,
    /// `.samplerref`.
    Sampler,
    /// `.surfref`.
    Surface,
}

impl Handle {
    /// The opaque type called `name`, without its dot.
    ///
    /// ```
    /// use margay_isa::Handle;
    /// assert_eq!(Handle::of("surfref"), Some(Handle::Surface));
    /// assert_eq!(Handle::of("u64"), None);
    /// ```
    pub fn of(name: &str) -> Option<Handle> {
        [Handle::Texture, Handle::Sampler, Handle::Surface].into_iter().find(|handle| handle.name() == name)
    }

    /// The name of the opaque type, without its dot.
    pub fn name(self) -> &'static str {
        match self {
            Handle::Texture => "texref",
            Handle::Sampler => "samplerref",
            Handle::Surface => "surfref",
        }
    }
}
