//! What the checker makes of a text: the module's layout, code, labels, initial values and directives.

use margay_front::compile;
use margay_front::module::{
    Base, Constant, Function, FunctionId, InstructionId, Module, Operand, Origin, Space, Symbol,
};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

fn module(text: &str) -> Module {
    compile(&format!("{HEAD}{text}")).unwrap_or_else(|found| panic!("{text}: {found:#?}"))
}

fn kernel(body: &str) -> Function {
    module(&format!(
        ".entry k(.param .u64 p) {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; {body} }}"
    ))
    .entries()
    .next()
    .unwrap()
    .clone()
}

fn codes(text: &str) -> Vec<&'static str> {
    let source = margay_front::Source::new("t.ptx", format!("{HEAD}{text}"));
    let checked = margay_front::check(&source, Default::default());
    checked.diagnostics.iter().map(|d| d.code.name()).collect()
}

#[test]
fn parameters_are_laid_out_as_in_c() {
    let module = module(
        ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c, .param .align 8 .b8 d[20], .param .f32 e)
         { ret; }",
    );
    let kernel = module.entries().next().unwrap();
    let places: Vec<_> = kernel.parameters.iter().map(|p| (p.offset, p.size, p.align, p.is_array)).collect();
    assert_eq!(
        places,
        [(0, 1, 1, false), (8, 8, 8, false), (16, 2, 2, false), (24, 20, 8, true), (44, 4, 4, false)]
    );
    assert_eq!(kernel.parameter_bytes, 48);
    assert_eq!(kernel.parameters[1].pointer, Some((Some(Space::Global), 16)));
    let variable = module.variable(kernel.parameters[3].variable.unwrap());
    assert_eq!((variable.name.as_str(), variable.space, variable.size), ("d", Space::Param, 20));
}

#[test]
fn registers_exist_from_their_first_use_on() {
    let kernel = kernel("add.u32 %r7, %r2, %r7;");
    let names: Vec<_> = kernel.registers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["%r7", "%r2"]);
    assert_eq!(kernel.code[0].operands.len(), 3);
    assert_eq!(kernel.code[0].operands[0], kernel.code[0].operands[2]);
}

#[test]
fn an_inner_block_hides_registers_of_the_outer_one() {
    let kernel = kernel("mov.b32 %r1, 1; { .reg .b32 %r1; mov.b32 %r1, 2; } mov.b32 %r1, 3;");
    let ids: Vec<_> = kernel.code.iter().map(|i| i.operands[0].clone()).collect();
    assert!(ids[0] != ids[1] && ids[0] == ids[2]);
}

#[test]
fn a_name_means_the_outer_register_up_to_the_inner_declaration() {
    let kernel = kernel("mov.b32 %r1, 1; { mov.b32 %r1, 2; .reg .b32 %r1; mov.b32 %r1, 3; }");
    let ids: Vec<_> = kernel.code.iter().map(|i| i.operands[0].clone()).collect();
    assert!(ids[0] == ids[1] && ids[1] != ids[2]);
}

#[test]
fn labels_are_places_in_the_flat_code() {
    let kernel = kernel("bra end; back: { inner: bra inner; bra back; } end: ret; last:");
    let target = |k: usize| match &kernel.code[k].operands[..] {
        [Operand::Label(id)] => id.0,
        other => panic!("{other:?}"),
    };
    assert_eq!([target(0), target(1), target(2)], [3, 1, 1]);
    let labels: Vec<_> = kernel.labels.iter().map(|(name, place)| (name.as_str(), place.0)).collect();
    assert_eq!(labels, [("back", 1), ("inner", 1), ("end", 3), ("last", 4)]);
    assert_eq!(kernel.code.len(), kernel.spans.len());
}

#[test]
fn the_same_label_may_stand_in_two_blocks() {
    let kernel = kernel("{ again: bra again; } { again: bra again; }");
    assert_eq!(*kernel.code[0].operands, [Operand::Label(kernel.labels[0].1)]);
    assert_eq!(*kernel.code[1].operands, [Operand::Label(kernel.labels[1].1)]);
}

#[test]
fn addresses_have_a_base_and_a_sum_of_offsets() {
    let kernel = kernel(
        ".shared .u32 s[4]; ld.param.u64 %rd1, [p]; st.global.b32 [%rd1+-8], %r1; st.shared.b32 [s+4+4], 7; ld.local.u32 %r2, [16];",
    );
    let address = |k: usize, operand: usize| match &kernel.code[k].operands[operand] {
        Operand::Address(address) => *address,
        other => panic!("{other:?}"),
    };
    assert!(matches!(address(0, 1).base, Base::Variable(_)));
    assert_eq!((address(1, 0).offset, address(2, 0).offset), (-8, 8));
    assert_eq!((address(3, 1).base, address(3, 1).offset), (Base::Absolute, 16));
    assert_eq!(kernel.code[2].operands[1], Operand::Immediate(7.into()));
}

#[test]
fn vectors_and_lone_elements() {
    let kernel = kernel(
        "ld.global.v2.u32 {%r1, %r2}, [%rd1]; ld.global.u32 {%r3}, [%rd1]; mov.b64 %rd2, {%r1, %r2}; mov.b64 {%r5, _}, %rd2;",
    );
    assert!(matches!(&kernel.code[0].operands[0], Operand::Vector(items) if items.len() == 2));
    assert!(matches!(&kernel.code[1].operands[0], Operand::Register(_)));
    assert!(matches!(&kernel.code[2].operands[1], Operand::Vector(items) if items.len() == 2));
    assert!(matches!(&kernel.code[3].operands[0], Operand::Vector(items) if items[1] == Operand::Sink));
}

#[test]
fn registers_of_a_vector_type_are_so_many_registers() {
    let kernel =
        kernel(".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1]; mov.f32 v.x, v.w; st.global.v4.f32 [%rd1], v;");
    let names: Vec<_> = kernel.registers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["v.x", "v.y", "v.z", "v.w", "%rd1"]);
    assert!(matches!(&kernel.code[2].operands[1], Operand::Vector(items) if items.len() == 4));
}

#[test]
fn constants_are_cut_to_their_operand() {
    let kernel = kernel(
        ".reg .f32 %f<2>; add.u32 %r1, %r2, -1; mov.b32 %r1, 0f3F800000; mov.f32 %f1, 0.1; mov.pred %p1, 2; \
         add.s64 %rd1, %rd2, -2; max.s64 %rd1, %rd2, 0xffffffff;",
    );
    let constants: Vec<_> = kernel.code.iter().map(|i| i.operands.last().unwrap().clone()).collect();
    let expected = [0xffff_ffff, 0x3f80_0000, 0x3dcc_cccd, 1, 0xffff_ffff_ffff_fffe, 0xffff_ffff];
    assert_eq!(constants, expected.map(|bits| Operand::Immediate(Constant::from(bits))));
}

#[test]
fn initial_values_become_bytes() {
    let module = module(
        ".global .u16 a[2][2] = {{1, 2}, {3}};
         .global .u32 b[] = {1, 0xffffffff};
         .const .f32 c[2] = {1.5, 0f40000000};
         .global .b8 d[10] = {1, 2};",
    );
    let bytes = |name: &str| module.variable(module.global(name).unwrap()).initial.clone();
    assert_eq!(bytes("a"), [1, 0, 2, 0, 3, 0]);
    assert_eq!(bytes("b"), [1, 0, 0, 0, 255, 255, 255, 255]);
    assert_eq!(bytes("c"), [0, 0, 192, 63, 0, 0, 0, 64]);
    let b = module.variable(module.global("b").unwrap());
    assert_eq!((b.size, b.dimensions.clone()), (8, vec![2]));
    let d = module.variable(module.global("d").unwrap());
    assert_eq!((d.size, d.initial.len()), (10, 2));
}

#[test]
fn initial_addresses_are_kept_as_such() {
    let module = module(
        ".global .u32 x[4];
         .func f() { ret; }
         .global .u64 t[3] = {x+8, generic(x)-4, f};
         .global .u8 m[2] = {0xff(x), 0xff00(x)};",
    );
    let t = module.variable(module.global("t").unwrap());
    let x = Symbol::Variable(module.global("x").unwrap());
    let all: Vec<_> = t.addresses.iter().map(|a| (a.at, a.bytes, a.addend, a.generic)).collect();
    assert_eq!(all, [(0, 8, 8, false), (8, 8, -4, true), (16, 8, 0, false)]);
    assert!(t.addresses[0].target == x && matches!(t.addresses[2].target, Symbol::Function(_)));
    let m = module.variable(module.global("m").unwrap());
    let all: Vec<_> = m.addresses.iter().map(|a| (a.at, a.bytes, a.shift)).collect();
    assert_eq!(all, [(0, 1, 0), (1, 1, 8)]);
}

#[test]
fn variables_have_natural_alignment_unless_told() {
    let module = module(".global .v4 .f32 a; .global .align 128 .b8 b[3]; .shared .u16 c[5];");
    let of = |name: &str| {
        let v = module.variable(module.global(name).unwrap());
        (v.size, v.align, v.vector)
    };
    assert_eq!([of("a"), of("b"), of("c")], [(16, 16, 4), (3, 128, 1), (10, 2, 1)]);
}

#[test]
fn an_extern_array_has_no_size_and_a_later_definition_gives_it_one() {
    let module = module(
        ".extern .shared .align 16 .b8 dynamic[]; .extern .global .u32 y[]; .visible .global .u32 y[3];",
    );
    let dynamic = module.variable(module.global("dynamic").unwrap());
    assert_eq!((dynamic.size, dynamic.is_extern, dynamic.dimensions.clone()), (0, true, vec![0]));
    assert_eq!(module.variables().len(), 2);
    assert_eq!(module.variable(module.global("y").unwrap()).size, 12);
}

#[test]
fn directives_become_limits() {
    let module = module(
        ".entry k() .maxntid 128, 2 .minnctapersm 3 .maxnreg 40 { ret; } .func f() .noreturn { exit; }",
    );
    let k = &module.functions()[0].performance;
    assert_eq!((k.maxntid, k.minnctapersm, k.maxnreg), (Some([128, 2, 1]), Some(3), Some(40)));
    assert!(module.functions()[1].performance.noreturn);
}

/// The source lines of a kernel's instructions, file 1 being `a.cu` and file 2 `b.h`.
fn origins(body: &str) -> Vec<Option<String>> {
    let text = format!(".file 1 \"a.cu\" .entry k() {{ {body} }} .file 2 \"b.h\"");
    let module = module(&text);
    let count = module.functions()[0].code.len() as u32;
    let origin = |k| module.origin(FunctionId(0), InstructionId(k)).map(|origin| origin.to_string());
    (0..count).map(origin).collect()
}

#[test]
fn loc_gives_the_following_instructions_a_line() {
    let lines = origins("ret; .loc 1 10 5\n ret; { ret; .loc 2 7 0\n l: } ret;");
    assert_eq!(lines, [None, Some("a.cu:10".into()), Some("a.cu:10".into()), Some("b.h:7".into())]);
}

#[test]
fn line_0_and_a_file_without_a_name_are_no_source_line() {
    let lines = origins(".loc 1 0 5\n ret; .loc 3 7 0\n ret; .loc 99999999999 1 1\n ret; .loc 1 1 1\n ret;");
    assert_eq!(lines, [None, None, None, Some("a.cu:1".into())]);
    let inlined = origins(".loc 2 0 5, inlined_at 1 40 3\n ret;");
    assert_eq!(inlined, [Some("a.cu:40".into())], "the line of the call is known");
}

#[test]
fn inlined_calls_are_followed_through_earlier_places() {
    let lines = origins(
        ".loc 1 40 30\n ret;
         .loc 2 155 14, function_name $L__info_string0, inlined_at 1 40 30\n ret;
         .loc 2 84 20, function_name $L__info_string0, inlined_at 2 155 14\n ret;
         .loc 1 41 0\n ret;
         .loc 2 9 9, inlined_at 2 155 14\n ret;
         .loc 2 9 9\n ret;",
    );
    let lines: Vec<_> = lines.iter().flatten().map(String::as_str).collect();
    assert_eq!(
        lines,
        [
            "a.cu:40",
            "b.h:155, inlined at a.cu:40",
            "b.h:84, inlined at b.h:155, inlined at a.cu:40",
            "a.cu:41",
            "b.h:9, inlined at b.h:155, inlined at a.cu:40",
            "b.h:9",
        ]
    );
}

#[test]
fn a_long_chain_of_inlined_calls_is_cut() {
    let chain = |k: u32| format!(".loc 1 {} 0, inlined_at 1 {k} 0\n ret;\n", k + 1);
    let lines = origins(&(1..500).map(chain).collect::<String>());
    let last = lines.last().unwrap().as_ref().unwrap();
    assert_eq!(last.matches("inlined at").count(), Origin::MAX_CALLERS);
}

#[test]
fn a_declaration_and_its_definition_are_one_function() {
    let module = module(
        ".func (.param .b32 r) f(.param .b64 a); .entry k() { ret; }
         .func (.param .b32 r) f(.param .b64 a) { ret; }",
    );
    assert_eq!(module.functions().len(), 2);
    assert!(module.functions()[0].is_defined && module.functions()[0].returns.len() == 1);
    assert_eq!(module.entry("k").map(|id| id.0), Some(1));
    assert!(module.entry("f").is_none());
}

#[test]
fn device_functions_take_parameters_in_registers() {
    let module = module(".func (.reg .u32 r) f(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }");
    let f = &module.functions()[0];
    assert_eq!(f.registers.len(), 3);
    let ids =
        [&f.returns[0], &f.parameters[0], &f.parameters[1]].map(|p| Operand::Register(p.register.unwrap()));
    assert_eq!(*f.code[0].operands, ids);
}

#[test]
fn calls_know_their_functions_and_arguments() {
    let module = module(
        ".func (.param .b32 r) f(.param .b32 a) { ret; }
         .entry k() {
            .reg .b32 %r<2>; .reg .b64 %rd<2>;
            { .param .b32 in; .param .b32 out;
              st.param.b32 [in], %r1; call.uni (out), f, (in); ld.param.b32 %r1, [out]; }
            proto: .callprototype (.param .b32 _) _ (.param .b32 _);
            mov.u64 %rd1, f;
            { .param .b32 in; .param .b32 out; call (out), %rd1, (in), proto; }
         }",
    );
    let call = &module.functions()[1].code[1];
    let Operand::Vector(out) = &call.operands[0] else { panic!("{call:?}") };
    assert!(matches!(out[0], Operand::Symbol(Symbol::Variable(_), 0)));
    assert!(matches!(call.operands[1], Operand::Symbol(Symbol::Function(_), 0)));
}

#[test]
fn branch_targets_are_labels() {
    let kernel = kernel("list: .branchtargets a, b; brx.idx %r1, list; a: ret; b: ret;");
    let Operand::Vector(targets) = &kernel.code[0].operands[1] else { panic!("{:?}", kernel.code[0]) };
    assert_eq!(targets.len(), 2);
    assert_eq!(targets[1], Operand::Label(kernel.labels[1].1));
}

#[test]
fn no_module_comes_of_a_text_with_an_error() {
    assert!(compile(&format!("{HEAD}.entry k() {{ bra nowhere; }}")).is_err());
    assert!(compile(&format!("{HEAD}.entry k() {{ ret }}")).is_err());
    assert!(compile("").is_err());
}

#[test]
fn all_errors_are_found_in_one_run() {
    let found = codes(
        ".entry k() {
            .reg .u32 %r<3>;
            ad.u32 %r0, %r1, %r2;
            add.u23 %r0, %r1, %r2;
            add.u32 %r0, %r1, %r5;
            @%r1 add.u32 %r0, %rx, 1.5;
            bra nowhere;
         }",
    );
    assert_eq!(found, ["P301", "P302", "P201", "P411", "P201", "P412", "P201"]);
}

#[test]
fn a_target_given_from_outside_replaces_the_module_s_own() {
    let text = format!("{HEAD}.entry k() {{ .reg .b32 %r<4>; mov.b32 %r1, 0; add.u16x2 %r0, %r1, %r1; }}");
    let source = margay_front::Source::new("t.ptx", text);
    let options = margay_front::check::Options { target: "sm_80".parse().ok(), ..Default::default() };
    assert_eq!(margay_front::check(&source, options).diagnostics[0].code.name(), "P507");
    assert!(margay_front::check(&source, Default::default()).diagnostics.is_empty());
}

#[test]
fn parameters_of_a_kernel_may_take_more_bytes_on_newer_targets() {
    assert_eq!(codes(".entry k(.param .b8 x[32764]) { ret; }"), Vec::<&str>::new());
    assert_eq!(codes(".entry k(.param .b8 x[32765]) { ret; }"), ["P420"]);
}

#[test]
fn a_variable_of_the_wrong_space_is_found_in_every_direction() {
    assert_eq!(codes(".shared .u32 s; .entry k() { .reg .u32 %r<2>; ld.global.u32 %r0, [s]; }"), ["P409"]);
    assert_eq!(
        codes(".shared .u32 s; .entry k() { .reg .u32 %r<2>; ld.shared::cta.u32 %r0, [s]; }"),
        [""; 0]
    );
    assert_eq!(codes(".entry k(.param .u32 p) { .reg .u32 %r<2>; ld.u32 %r0, [p]; }"), ["P409"]);
}

#[test]
fn special_registers_have_floors_and_members() {
    let mov = |what: &str| codes(&format!(".entry k() {{ .reg .u32 %r<2>; mov.u32 %r0, {what}; }}"));
    assert_eq!(mov("%tid.x"), [""; 0]);
    assert_eq!(mov("%tid"), ["P405"]);
    assert_eq!(mov("%tid.q"), ["P308"]);
    assert_eq!(mov("%globaltimer"), ["P401"]);
    assert_eq!(mov("%nothing"), ["P201"]);
}

#[test]
fn registers_of_module_scope_are_one_error_however_many_functions_use_them() {
    let text = ".reg .b32 %r<4>; .entry a() { .reg .b64 %x; add.u64 %x, %x, 1; add.u32 %r0, %r1, 2; } \
                .entry b() { add.u32 %r1, %r3, 2; }";
    assert_eq!(codes(text), ["P206"]);
}
