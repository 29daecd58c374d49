//! Strings (GL_EXT_debug_printf), wherever the grammar has expressions.

use coopmat_analysis::config::TargetEnv;
use expect_test::expect;

use super::{check, check_errors};

const HEADER: &str = "#extension GL_EXT_debug_printf : require\nlayout(local_size_x = 1) in;\n";

#[test]
fn a_string_without_a_use_is_nothing() {
    let source = format!(
        r#"{HEADER}void main() {{
            int i = 0;
            "12 3";
            ("one", i++, "two");
            for ("start"; i < 2; i++, "step") {{}}
            debugPrintfEXT("%d", ("first", i));
        }}"#
    );
    check(
        &source,
        &["OpString", "DebugPrintf", "OpIAdd"],
        expect![[r#"
            %24 = OpExtInstImport "NonSemantic.DebugPrintf"
            %22 = OpString "%d"
            %11 = OpIAdd %int %9 %int_1
            %21 = OpIAdd %int %20 %int_1
            %25 = OpExtInst %void %24 DebugPrintf %22 %23
        "#]],
    );
}

#[test]
fn a_string_is_no_value() {
    let source = format!(
        r#"{HEADER}void main() {{
            debugPrintfEXT("%d", (1, "one"));
            debugPrintfEXT("%s", "one");
            bool b = true;
            b ? "one" : "two";
        }}"#
    );
    check_errors(
        &source,
        TargetEnv::Vulkan1_3,
        expect![[r#"
        a string is no value in compiled shaders: only the format of `debugPrintfEXT` and parts of a message of `abortEXT` are strings
    "#]],
    );
}

#[test]
fn escape_sequences_are_the_characters_that_they_stand_for() {
    let source = format!(r#"{HEADER}void main() {{ debugPrintfEXT("\x41 \"%d\"\\", 3); }}"#);
    check(
        &source,
        &["OpString"],
        expect![[r#"
            %5 = OpString "A \"%d\"\\"
        "#]],
    );
}
