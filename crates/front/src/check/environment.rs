//! `.version`, `.target` and `.address_size`, and what must be at least there for a form, a word or a directive.

use super::state::Environment;
use super::{Checker, Options};
use crate::ast::{self, Item};
use crate::diag::{Diagnostic, codes};
use crate::source::Span;
use margay_isa::{Floor, TARGETS, Target, Targets, Version};

/// The greatest minor number of each major version that there was (manual, release notes).
const VERSIONS: &[(u8, u8)] = &[(1, 5), (2, 3), (3, 2), (4, 3), (5, 1), (6, 5), (7, 8), (8, 8), (9, 5)];

/// The first target on which global memory and generic addresses have 64 bits always, as ptxas has it.
const SHORT_GONE_FROM: u16 = 90;

/// The specifier that asks for debugging.
const DEBUG: &str = "debug";

/// Specifiers of `.target` that are no architecture.
const OPTIONS: &[&str] = &[DEBUG, "texmode_unified", INDEPENDENT, "map_f64_to_f32"];

/// The specifier that tells textures and samplers apart.
const INDEPENDENT: &str = "texmode_independent";

/// Every version of PTX that there was, oldest first.
///
/// ```
/// let versions: Vec<String> = margay_front::check::versions().map(|v| v.to_string()).collect();
/// assert_eq!((versions[0].as_str(), versions.last().unwrap().as_str()), ("1.0", "9.5"));
/// ```
pub fn versions() -> impl Iterator<Item = Version> {
    VERSIONS.iter().flat_map(|(major, last)| (0..=*last).map(|minor| Version { major: *major, minor }))
}

/// Whether PTX had this version.
pub(crate) fn exists(version: Version) -> bool {
    VERSIONS.iter().any(|(major, minor)| version.major == *major && version.minor <= *minor)
}

/// The architecture with the nearest number, else an option spelt nearly so.
fn near_target(name: &str) -> Option<String> {
    let number: Option<u16> =
        name.strip_prefix("sm_").and_then(|n| n.trim_end_matches(['a', 'f']).parse().ok());
    let Some(number) = number else {
        return crate::suggest::nearest(name, OPTIONS.iter().map(|option| option.to_string()));
    };
    let nearest = TARGETS.iter().min_by_key(|(target, _)| target.number.abs_diff(number));
    nearest.map(|(target, _)| target.to_string())
}

/// The target of this name; `compute_90` says the same as `sm_90`.
pub(crate) fn target_named(name: &str) -> Option<Target> {
    let canonical = name.strip_prefix("compute_").map(|rest| format!("sm_{rest}"));
    canonical.as_deref().unwrap_or(name).parse().ok()
}

/// Everything that `.target` says.
fn names_of_target(file: &ast::File) -> impl Iterator<Item = &ast::Name> {
    file.items.iter().flat_map(|item| match item {
        Item::Target(target) => &target.names[..],
        _ => &[],
    })
}

impl Checker {
    /// Reads the directives at the beginning of a module, which may be held against nothing.
    pub(super) fn environment_of(&mut self, file: &ast::File, options: Options, judged: bool) {
        let version = self.version_of(file);
        let target = self.target_of(file, options, version);
        self.environment.judged = judged && version.is_some() && target.is_some();
        self.environment.version = version.unwrap_or(self.environment.version);
        self.environment.target = target.unwrap_or(self.environment.target);
        self.environment.short_addresses =
            !self.environment.judged || self.environment.target.number < SHORT_GONE_FROM;
        self.environment.independent_textures = names_of_target(file).any(|name| name.text == INDEPENDENT);
        self.environment.address_size = self.address_size_of(file);
        self.header_order(file);
        self.debug_data(file, options.to_run);
    }

    /// `.target` comes behind `.version`, `.address_size` behind `.target`; nothing comes between. What stands there a
    /// second time is judged elsewhere.
    fn header_order(&mut self, file: &ast::File) {
        let place = |item: &Item| match item {
            Item::Version(_) => 0,
            Item::Target(_) => 1,
            Item::AddressSize(_) => 2,
            _ => 3,
        };
        let names = [(1, ".target", "`.version`"), (2, ".address_size", "`.version` and `.target`")];
        for (kind, name, before) in names {
            let Some(at) = file.items.iter().position(|item| place(item) == kind) else { continue };
            let (Item::Target(ast::Target { span, .. }) | Item::AddressSize(ast::AddressSize { span, .. })) =
                &file.items[at]
            else {
                continue;
            };
            if file.items[..at].iter().any(|item| place(item) > kind) {
                let message = format!("`{name}` comes too late");
                let diagnostic = Diagnostic::error(codes::ORDER, message);
                let diagnostic = diagnostic.label(*span, format!("only {before} may come before it"));
                self.report(
                    diagnostic.help("the order is `.version`, `.target`, `.address_size`, and then the rest"),
                );
            }
        }
    }

    /// Who asks for debugging must give what debuggers need.
    fn debug_data(&mut self, file: &ast::File, to_run: bool) {
        let Some(debug) = names_of_target(file).find(|name| name.text == DEBUG) else { return };
        let holds_data = |item: &Item| matches!(item, Item::Section(_));
        let wanted = self.environment.judged && self.need(DEBUG, Floor::new(3, 0, 10), debug.span);
        if wanted && !file.items.iter().any(holds_data) {
            let message = "target option `debug` requires debug sections, and there are none";
            let severity = if to_run { Diagnostic::warning } else { Diagnostic::error };
            let diagnostic = severity(codes::NO_DEBUG_DATA, message);
            let diagnostic = diagnostic.label(debug.span, "asks for debugging");
            self.report(diagnostic.help("add sections such as `.debug_info`, or remove `debug`"));
        }
    }

    fn version_of(&mut self, file: &ast::File) -> Option<Version> {
        let mut all = file.items.iter().filter_map(|item| match item {
            Item::Version(version) => Some(version),
            _ => None,
        });
        let Some(first) = all.next() else {
            let message = "`.version` is missing";
            let diagnostic =
                Diagnostic::error(codes::NO_VERSION, message).label(Span::new(0, 0), "it comes first");
            self.report(diagnostic.help(format!("start with a line such as `.version {}`", Version::NEWEST)));
            return None;
        };
        if !matches!(file.items.first(), Some(Item::Version(_))) {
            self.error(codes::ORDER, first.span, "`.version` must come first", "nothing may come before it");
        }
        for other in all {
            self.error(codes::ORDER, other.span, "`.version` is given twice", "remove it");
        }
        let small = u8::try_from(first.major).ok().zip(u8::try_from(first.minor).ok());
        let version = small.map(|(major, minor)| Version { major, minor }).filter(|v| exists(*v));
        if version.is_none() {
            let message = format!("PTX {}.{} does not exist", first.major, first.minor);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_VERSION, message);
            let help = format!("the newest that margay knows is {}", Version::NEWEST);
            self.report(diagnostic.label(first.number, "unknown PTX version").help(help));
        }
        version
    }

    fn target_of(&mut self, file: &ast::File, options: Options, version: Option<Version>) -> Option<Target> {
        let mut all = file.items.iter().filter_map(|item| match item {
            Item::Target(target) => Some(target),
            _ => None,
        });
        let Some(first) = all.next() else {
            if version.is_some() && options.target.is_none() {
                let diagnostic = Diagnostic::error(codes::NO_TARGET, "`.target` is missing");
                let diagnostic = diagnostic.label(Span::new(0, 0), "it goes after `.version`");
                self.report(diagnostic.help("add a line such as `.target sm_90` after `.version`"));
            }
            return options.target;
        };
        let mut found = None;
        let mut late = None;
        let known = self.sink.errors();
        for name in std::iter::once(first).chain(all).flat_map(|target| &target.names) {
            let target = target_named(&name.text);
            match target {
                Some(_) if options.target.is_some() => {}
                Some(target) if found.is_none() => {
                    found = Some(target);
                    self.target_since(target, version, name.span);
                }
                Some(_) => self.error(
                    codes::ORDER,
                    name.span,
                    "more than one architecture",
                    "a module has one target",
                ),
                None if OPTIONS.contains(&name.text.as_str()) => {
                    late = late.or(found.is_none().then_some(name))
                }
                None => self.unknown_target(name),
            }
        }
        if found.is_none() && options.target.is_none() && self.sink.errors() == known {
            let diagnostic = Diagnostic::error(codes::NO_TARGET, "`.target` does not name an architecture");
            let diagnostic = diagnostic.label(first.span, "there are there are only options here");
            self.report(diagnostic.help("name one, such as `sm_90`, before the options"));
        }
        if let Some(option) = late.filter(|_| found.is_some()) {
            let message = format!("`{}` comes before the architecture", option.text);
            let diagnostic = Diagnostic::error(codes::ORDER, message);
            self.report(diagnostic.label(option.span, "move it after the architecture"));
        }
        options.target.or(found)
    }

    fn unknown_target(&mut self, name: &ast::Name) {
        let message = format!("`{}` is not a target", name.text);
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_TARGET, message).label(name.span, "unknown target");
        if let Some(nearest) = near_target(&name.text) {
            diagnostic = diagnostic.help(format!("did you mean `{nearest}`?"));
        }
        self.report(diagnostic);
    }

    fn target_since(&mut self, target: Target, version: Option<Version>, span: Span) {
        let Some((since, version)) = target.since().zip(version) else { return };
        if version < since {
            let message = format!("target `{target}` needs PTX {since}, but this is PTX {version}");
            let diagnostic = Diagnostic::error(codes::TARGET_TOO_NEW, message);
            let help = format!("raise `.version` to {since} or higher, or choose an older target");
            self.report(diagnostic.label(span, format!("added in PTX {since}")).help(help));
        }
    }

    fn address_size_of(&mut self, file: &ast::File) -> u32 {
        let mut sizes = file.items.iter().filter_map(|item| match item {
            Item::AddressSize(size) => Some(size),
            _ => None,
        });
        let Some(first) = sizes.next() else { return 32 };
        self.need(".address_size", Floor::new(2, 3, 10), first.span);
        for other in sizes {
            self.error(codes::ORDER, other.span, "`.address_size` is given twice", "remove it");
        }
        match first.bits.value {
            32 => {
                self.short_size(first.span);
                32
            }
            64 => 64,
            other => {
                let message = format!("addresses have 32 or 64 bits, not {other}");
                self.error(codes::ADDRESS_SIZE, first.bits.span, message, "write 32 or 64");
                64
            }
        }
    }

    /// Reports what the module's version or target lacks for `what`; whether nothing is lacking.
    pub(super) fn need(&mut self, what: &str, floor: Floor, span: Span) -> bool {
        let Environment { version, target, judged, .. } = self.environment;
        if !judged {
            return true;
        }
        if version < floor.version {
            let needed = floor.version;
            let message = format!("`{what}` needs PTX {needed}, but this is PTX {version}");
            let help = format!("raise `.version` to {needed} or higher");
            let diagnostic = Diagnostic::error(codes::NEEDS_VERSION, message);
            self.report(diagnostic.label(span, format!("added in PTX {needed}")).help(help));
        }
        let has_target = floor.targets.contains(target);
        if !has_target {
            let needed = match floor.targets {
                Targets::Architectures(all) => {
                    super::fault::either(&all.iter().map(|n| format!("sm_{n}a")).collect::<Vec<_>>())
                }
                others => others.to_string(),
            };
            let message = format!("`{what}` needs target {needed}, but this is {target}");
            let help = match floor.targets {
                Targets::From(_) => format!("raise `.target` to {needed}"),
                _ => format!("change `.target` to {needed}"),
            };
            let diagnostic = Diagnostic::error(codes::NEEDS_TARGET, message);
            self.report(diagnostic.label(span, format!("not available on {target}")).help(help));
        }
        has_target && version >= floor.version
    }

    /// Reports what the module's version and target have no more; whether they still have it.
    pub(super) fn not_gone(&mut self, what: &str, end: Floor, span: Span) -> bool {
        self.not_gone_or(what, end, span, |_| None)
    }

    /// As [`not_gone`](Self::not_gone); `instead` finds what to write instead, where it is.
    pub(super) fn not_gone_or(
        &mut self,
        what: &str,
        end: Floor,
        span: Span,
        instead: impl FnOnce(&mut Checker) -> Option<String>,
    ) -> bool {
        let Environment { version, target, judged, .. } = self.environment;
        if !judged || version < end.version || !end.targets.contains(target) {
            return true;
        }
        let (code, message, label) = if end.targets == Floor::ZERO.targets {
            let message = format!("`{what}` was removed in PTX {}, and this is PTX {version}", end.version);
            (codes::NEEDS_VERSION, message, format!("not available in PTX {version}"))
        } else {
            let first = match end.targets {
                Targets::From(number) => format!("sm_{number}"),
                others => others.to_string(),
            };
            let message = format!("`{what}` was removed in {first}, and this is {target}");
            (codes::NEEDS_TARGET, message, format!("not available on {target}"))
        };
        let help = match instead(self) {
            Some(instead) => format!("did you mean `{instead}`?"),
            None => "`margay explain` shows the forms that exist".to_string(),
        };
        let diagnostic = Diagnostic::error(code, message);
        self.report(diagnostic.label(span, label).help(help));
        false
    }
}
