//! Texts that nobody writes: an answer comes in a bounded time, without a crash.

use std::time::{Duration, Instant};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_analysis::{Analysis, analyze};
use coopmat_ide::actions::actions;
use coopmat_ide::definition::definition;
use coopmat_ide::highlight::highlight;
use coopmat_ide::selection::selections;

/// Generous: a machine may be busy, but what grows with the square of its input takes minutes.
const LIMIT: Duration = Duration::from_secs(30);

fn run(body: &str) -> Analysis {
    analyze("/main.comp", shader(body).into(), &Configuration::default(), &NoFiles, None)
}

fn shader(body: &str) -> String {
    format!("#version 460\nlayout(local_size_x = 1) in;\n{body}")
}

/// A token that the parser adds stands at the end of all of them.
#[test]
fn operators_without_an_operand_nest_deeply() {
    for operator in
        ["--", "- ", "!", "x = ", "x ? ", "x ? x : ", "(", "x[", "f(", "vec2(", "x.y(", "{ ", "if (x) "]
    {
        let surface =
            Surface::new(shader(&format!("void main() {{ {} ; }}", operator.repeat(3000))).into(), None);
        let start = Instant::now();
        let end = TextSize::new(surface.text().len() as u32 - 4);
        selections(&surface, &[TextSize::new(60), end]);
        assert!(start.elapsed() < LIMIT, "{operator}: {:?}", start.elapsed());
    }
}

/// A place in a macro that became tens of thousands of variables means each of them.
#[test]
fn a_place_in_a_macro_means_many_things() {
    let powers =
        "#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n";
    let text = format!("#define A {{ int x; }} int y;\n{powers}void main() {{ D D D D D }}");
    let analysis = run(&text);
    let start = Instant::now();
    for name in ["x;", "y;"] {
        let offset = TextSize::new(analysis.files()[FileId::ROOT].text.find(name).unwrap() as u32);
        let position = FilePosition { file: FileId::ROOT, offset };
        actions(&analysis, FileRange { file: FileId::ROOT, range: TextRange::empty(offset) });
        assert!(definition(&analysis, position).is_some());
        highlight(&analysis, position);
    }
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
}
