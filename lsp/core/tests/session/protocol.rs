//! Requests that cannot be answered, clients with ways of their own, and the end.

use super::*;

#[test]
fn an_answer_about_a_text_that_is_gone_is_refused() {
    let mut session = Session::start(&[], json!({}));
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", GOOD);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.response(hover)["error"]["code"], -32801);
    session.host.release();
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    assert!(
        !session.kept.iter().any(|message| message["params"]["version"] == 1),
        "a stale report was published"
    );
    let hover = session.request("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("int first"), "{hover}");
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let mut session = Session::start(&[], json!({}));
    session.host.hold.store(true, Ordering::SeqCst);
    session.open("/p/a.comp", GOOD);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 1, 20));
    session.host.wait_for_held_job();
    session.notify("$/cancelRequest", json!({"id": hover}));
    assert_eq!(session.response(hover)["error"]["code"], -32800);
    session.host.release();
    session.published("/p/a.comp", 1);
}

#[test]
fn a_defect_in_an_analysis_does_not_end_the_server() {
    let mut session = Session::start(&[], json!({}));
    session.open("/p/a.comp", "#version 450\n#include \"defect.glsl\"\n");
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 0, 2));
    assert_eq!(session.response(hover)["error"]["code"], -32603);
    let hash = format!("{:016x}", coopmat_server::text_hash("#version 450\n#include \"defect.glsl\"\n"));
    assert!(session.host.log.lock().unwrap().iter().any(|line| line.contains(&hash)), "the hash is logged");
    session.replace("/p/a.comp", 2, BAD);
    assert_eq!(session.published("/p/a.comp", 2), ["undeclared-name"]);
    assert_eq!(session.finish(), End::Orderly);
}

/// Neovim says that it pulls, refreshes and takes ranges; what it does with the answers is wrong.
#[test]
fn neovim_is_offered_what_works_there() {
    const TEXT: &str = "#version 450\n#if 0\n    int x; // left out\n\n#endif\nvoid main() {}\n";
    let tokens = json!({
        "requests": {"range": true, "full": {"delta": true}},
        "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"],
        "augmentsSyntaxTokens": true,
    });
    let says = json!({
        "textDocument": {"diagnostic": {}, "semanticTokens": tokens},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    for mode in ["auto", "pull"] {
        let (mut session, offered) = Session::start_as(
            &[],
            json!({
                "capabilities": says,
                "clientInfo": {"name": "Neovim", "version": "0.12.4"},
                "initializationOptions": {"diagnostics": {"mode": mode}},
            }),
        );
        assert!(offered["diagnosticProvider"].is_null(), "{offered}");
        assert!(offered["semanticTokensProvider"]["range"].is_null(), "{offered}");
        session.open("/p/a.comp", TEXT);
        assert_eq!(session.published("/p/a.comp", 1), Vec::<String>::new(), "no hint about what is left out");
        let legend = &offered["semanticTokensProvider"]["legend"]["tokenTypes"];
        let comment = legend.as_array().unwrap().iter().position(|name| name == "comment").unwrap();
        let of = json!({"textDocument": {"uri": "file:///p/a.comp"}});
        let tokens = session.request("textDocument/semanticTokens/full", of);
        let tokens: Vec<u64> =
            tokens["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
        let comments: Vec<_> = tokens.chunks(5).filter(|token| token[3] == comment as u64).collect();
        // One line after the `#if`, from the first letter to the last.
        assert_eq!(comments, [[1, 4, 18, comment as u64, 0]]);
    }
    let (_, offered) = Session::start_as(
        &[],
        json!({"capabilities": says, "clientInfo": {"name": "Visual Studio Code", "version": "1.100.0"}}),
    );
    assert_eq!(offered["semanticTokensProvider"]["range"], true);
    assert!(offered["diagnosticProvider"].is_object(), "{offered}");
}

#[test]
fn malformed_messages_are_answered_and_survived() {
    let mut session = Session::start(&[], json!({}));
    session.to_server.unbounded_send("{nonsense".to_owned()).unwrap();
    assert_eq!(
        session.wait(|message| message["id"].is_null() && message.get("error").is_some())["error"]["code"],
        -32700
    );
    let wrong = session.begin("textDocument/hover", json!({"textDocument": 5}));
    assert_eq!(session.response(wrong)["error"]["code"], -32602);
    let unknown = session.begin("textDocument/nothing", json!({}));
    assert_eq!(session.response(unknown)["error"]["code"], -32601);
    assert_eq!(session.finish(), End::Orderly);
}

#[test]
fn leaving_without_a_word_is_abrupt() {
    let session = Session::start(&[], json!({}));
    drop(session.to_server);
    assert_eq!(session.end.join().unwrap(), End::Abrupt);
}

/// What is freed later would stay: so an answer that takes long is waited for, and nothing is kept for the next analysis.
#[test]
fn memory_is_given_back_when_nobody_holds_on_to_what_was_closed() {
    let mut session =
        Session::start(&[("/p/shared.glsl", "int twice(int x) { return 2 * x; }\n")], json!({}));
    let shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"shared.glsl\"\nvoid main() { int a = twice(2); a++; }\n";
    session.open("/p/a.comp", shader);
    session.published("/p/a.comp", 1);
    session.host.hold.store(true, Ordering::SeqCst);
    let hover = session.begin("textDocument/hover", hover_at("/p/a.comp", 3, 25));
    session.host.wait_for_held_job();
    let slow = session.host.held.lock().unwrap().pop_front().unwrap();
    session.host.release();
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///p/a.comp"}}));
    let closed = session.begin("textDocument/hover", hover_at("/p/a.comp", 3, 25));
    assert!(session.response(closed)["result"].is_null(), "it is closed");
    std::thread::sleep(Duration::from_millis(50));
    assert!(session.host.given_back.lock().unwrap().is_empty(), "while the answer is made");
    slow();
    assert!(session.response(hover).get("error").is_none());
    let until = Instant::now() + Duration::from_secs(20);
    while session.host.given_back.lock().unwrap().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(*session.host.given_back.lock().unwrap(), [false]);
}
