use serde_json::{Value, json};

use super::edit_toml;

const RECIPE: &str = r#"# how to run it
sizes = { M = 64, N = 32 } # small
dispatch = ["N / 16", 1]

[push-constants]
columns = "N" # of D

[[buffers]]
name = "a"
shape = ["M", "N"]
fill.uniform = { seed = 1 }

# the result
[[buffers]]
name = "d"
"#;

fn edited(text: &str, edit: &Value) -> String {
    let made = edit_toml(text, &edit.to_string()).expect("a possible edit");
    // What was TOML stays TOML.
    assert!(text.parse::<toml::Table>().is_err() || made.parse::<toml::Table>().is_ok(), "{made}");
    made
}

fn set(text: &str, path: &Value, value: &Value) -> String {
    edited(text, &json!({"kind": "set", "path": path, "value": value}))
}

fn remove(text: &str, path: &Value) -> String {
    edited(text, &json!({"kind": "remove", "path": path}))
}

#[test]
fn another_value_leaves_the_comment_of_its_line() {
    let made = set(RECIPE, &json!(["push-constants", "columns"]), &json!(4));
    assert_eq!(made, RECIPE.replace("columns = \"N\"", "columns = 4"));
}

#[test]
fn inside_of_a_value_on_one_line_the_rest_of_it_stays() {
    assert_eq!(set(RECIPE, &json!(["sizes", "M"]), &json!(128)), RECIPE.replace("M = 64", "M = 128"));
    assert_eq!(set(RECIPE, &json!(["sizes", "K"]), &json!(8)), RECIPE.replace("N = 32 }", "N = 32, K = 8 }"));
    assert_eq!(set(RECIPE, &json!(["dispatch", 1]), &json!(2)), RECIPE.replace("16\", 1]", "16\", 2]"));
    assert_eq!(set(RECIPE, &json!(["dispatch", 2]), &json!(3)), RECIPE.replace(", 1]", ", 1, 3]"));
    assert_eq!(remove(RECIPE, &json!(["sizes", "N"])), RECIPE.replace(", N = 32", ""));
    assert_eq!(remove(RECIPE, &json!(["sizes", "M"])), RECIPE.replace("M = 64, ", ""));
    assert_eq!(remove(RECIPE, &json!(["dispatch", 0])), RECIPE.replace("\"N / 16\", ", ""));
    assert_eq!(set("a = {}\n", &json!(["a", "b", "c"]), &json!(1)), "a = { b.c = 1 }\n");
    assert_eq!(set("a = []\n", &json!(["a", 0]), &json!([1, 2])), "a = [[1, 2]]\n");
    // Several lines, with comments of their own.
    let lines = "a = [\n  1, # one\n  { b = 2 }, # two\n]\n";
    assert_eq!(set(lines, &json!(["a", 1, "b"]), &json!(3)), lines.replace("b = 2", "b = 3"));
}

#[test]
fn a_value_of_another_form_gives_way() {
    assert_eq!(
        set("fill = \"iota\"\n", &json!(["fill", "iota", "step"]), &json!(2)),
        "fill = { iota.step = 2 }\n"
    );
}

#[test]
fn a_key_that_is_not_there_goes_into_its_table() {
    assert_eq!(
        set(RECIPE, &json!(["buffers", 1, "shape"]), &json!([2, 2])),
        format!("{RECIPE}shape = [2, 2]\n")
    );
    assert!(set(RECIPE, &json!(["subgroup-size"]), &json!(8)).contains("1]\nsubgroup-size = 8\n\n[push"));
    assert!(set(RECIPE, &json!(["push-constants", "a b"]), &json!(1)).contains("# of D\n\"a b\" = 1\n"));
    let absent = json!({"kind": "set", "path": ["buffers", 7, "shape"], "value": 1}).to_string();
    assert!(edit_toml(RECIPE, &absent).is_err_and(|words| words.contains("number 7")));
}

#[test]
fn a_whole_replaces_its_parts() {
    let made = set(RECIPE, &json!(["buffers", 0, "fill"]), &json!({"constant": 1}));
    assert_eq!(made, RECIPE.replace("fill.uniform = { seed = 1 }", "fill = { constant = 1 }"));
}

#[test]
fn a_text_without_tables_begins_with_what_is_new() {
    assert_eq!(set("", &json!(["dispatch"]), &json!([1])), "dispatch = [1]\n");
    assert_eq!(
        set("[sizes]\nM = 1\n", &json!(["dispatch"]), &json!([1])),
        "dispatch = [1]\n\n[sizes]\nM = 1\n"
    );
}

#[test]
fn a_table_of_a_list_is_appended_behind_the_others_and_taken_out() {
    let text = format!("{RECIPE}\n[[expect]]\nbuffer = \"d\"\n");
    let append = json!({"kind": "append", "list": "buffers", "table": {"name": "e"}});
    assert!(edited(&text, &append).contains("name = \"d\"\n\n[[buffers]]\nname = \"e\"\n\n[[expect]]"));
    let append = json!({"kind": "append", "list": "expect", "table": {"buffer": "d"}});
    assert_eq!(edited(RECIPE, &append), text);
    assert_eq!(edited("", &append), "[[expect]]\nbuffer = \"d\"\n");
    let gone = remove(RECIPE, &json!(["buffers", 0]));
    assert!(!gone.contains("\"a\"") && gone.contains("name = \"d\""), "{gone}");
    assert!(gone.contains("# of D\n\n# the result\n[[buffers]]"), "{gone}");
}

#[test]
fn brackets_comments_and_quotes_in_values_are_not_taken_for_ends() {
    let text = "a = [\n  \"]\", # [\n  2,\n]\nb = '#' # x\nc = \"\"\"\n[t]\n\n\n\"\"\"\nd = 1\n";
    assert_eq!(set(text, &json!(["a"]), &json!(1)), format!("a = 1\n{}", &text[text.find("b =").unwrap()..]));
    assert!(set(text, &json!(["b"]), &json!(1)).contains("b = 1 # x"));
    assert!(set(text, &json!(["d"]), &json!(2)).ends_with("[t]\n\n\n\"\"\"\nd = 2\n"));
    assert!(remove(text, &json!(["d"])).ends_with("[t]\n\n\n\"\"\"\n"));
}

#[test]
fn values_are_written_as_toml_has_them_in_the_order_that_is_given() {
    let value =
        json!({"low": {"$number": "-inf"}, "a b": [1.5, 1e300, "x\"\n"], "zero": {"$number": "-0"}, "n": 3});
    let made = set("", &json!(["v"]), &value);
    let read: toml::Table = made.parse().unwrap();
    assert_eq!(read["v"]["low"].as_float(), Some(f64::NEG_INFINITY));
    assert_eq!(read["v"]["a b"][1].as_float(), Some(1e300));
    assert_eq!(read["v"]["a b"][2].as_str(), Some("x\"\n"));
    assert!(read["v"]["zero"].as_float().is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
    assert_eq!(read["v"]["n"].as_integer(), Some(3));
    assert_eq!(made.lines().count(), 1, "{made}");
}

/// Whatever stands in the text: an edit ends, and cuts no letter in two.
#[test]
fn a_text_that_is_no_toml_is_edited_all_the_same() {
    let damaged = [
        "a",
        "a =",
        "= 1",
        "[",
        "[[x",
        "[x]\n[",
        "a = [1,",
        "a = { b = 1",
        "ä = \"ö",
        "a.b. = 1",
        "\u{feff}a = 1",
    ];
    for text in damaged.into_iter().chain([RECIPE]) {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let cut = &text[..end];
            for path in [json!(["a"]), json!(["sizes", "M"]), json!(["buffers", 0, "fill"])] {
                for kind in ["set", "remove"] {
                    let _ = edit_toml(cut, &json!({"kind": kind, "path": path, "value": 1}).to_string());
                }
            }
            edited(cut, &json!({"kind": "append", "list": "new", "table": {}}));
        }
    }
    edited(&format!("a = {}", "[".repeat(100_000)), &json!({"kind": "remove", "path": ["a"]}));
}
