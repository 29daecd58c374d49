//! JSON-RPC between a client and the service: one JSON text per message in each direction, framed by whoever carries them.
//!
//! tower-lsp's own transport runs a few handlers at a time, so that a fifth message waits for an answer to one of the four
//! before it, and ends at the first malformed message. Here each message is handed to its handler as it arrives, and the handler runs up to its first wait
//! before the next message is looked at.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::channel::mpsc;
use futures::stream::{FusedStream, FuturesUnordered};
use futures::{FutureExt as _, SinkExt as _, StreamExt as _, select};
use serde::Deserialize;
use serde_json::Value;
use tower::Service as _;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::ls_types::{ConfigurationItem, MessageActionItem, MessageType, request};
use tower_lsp::{Client, LspService};

use crate::backend::{self, Backend};
use crate::configuring::SettingsEvent;
use crate::embedded::layer::{Incoming, Layer};
use crate::events::{Event, Events};
use crate::host::Host;
use crate::outgoing::{Channel, Outgoing};
use crate::running::{Running, Watched};
use crate::server::Server;
use crate::set_up::SettingUp;
use crate::text_content::{Announcement, Changed, Refresh};
use crate::{in_view, set_up, settings};

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `shutdown`, then `exit`.
    Orderly,
    /// `exit` without `shutdown`, or the connection broke.
    Abrupt,
}

/// Makes a session. The futures run side by side until the client leaves: the first carries messages, the second is the
/// server's task.
pub fn session<O>(
    host: Arc<dyn Host>,
    incoming: impl FusedStream<Item = String> + Unpin + Send,
    outgoing: O,
) -> (impl Future<Output = End> + Send, impl Future<Output = ()> + Send)
where
    O: FnMut(String) -> bool + Send,
{
    let (events, inbox) = mpsc::unbounded();
    let (to_client, from_server) = mpsc::unbounded();
    let to_carry = to_client.clone();
    let server = Server::new(host.clone(), events.clone(), to_client);
    let (service, socket) = backend::service(events.clone(), host);
    (carry(service, socket, events, (to_carry, from_server), incoming, outgoing), server.run(inbox))
}

#[derive(Deserialize)]
struct Probe {
    method: Option<String>,
    id: Option<Value>,
}

async fn carry(
    mut service: LspService<Backend>,
    socket: tower_lsp::ClientSocket,
    events: Events,
    (to_carry, mut from_server): (mpsc::UnboundedSender<Outgoing>, mpsc::UnboundedReceiver<Outgoing>),
    mut incoming: impl FusedStream<Item = String> + Unpin + Send,
    mut outgoing: impl FnMut(String) -> bool + Send,
) -> End {
    let client = service.inner().client.clone();
    let shut_down = service.inner().shut_down.clone();
    let setting_up = service.inner().setting_up.clone();
    let running = service.inner().running.clone();
    let (requests, mut responses) = socket.split();
    let mut requests = requests.fuse();
    let mut handlers = FuturesUnordered::new();
    let mut messages = FuturesUnordered::new();
    let mut announcement = Announcement::default();
    let mut layer = Layer::default();
    let mut assembly = crate::assembly::Layer::new(service.inner().host.clone(), to_carry);
    let end = || match shut_down.load(Ordering::Relaxed) {
        true => End::Orderly,
        false => End::Abrupt,
    };
    // `outgoing` answers whether the other side is still there.
    loop {
        let mut responses_now = Vec::new();
        let mut routed = Incoming::default();
        let mut exit = false;
        select! {
            text = incoming.next() => {
                let Some(text) = text else { return End::Abrupt };
                match decode(&text) {
                    Ok(Message::Request(request)) => {
                        announcement.note(&request);
                        exit = request.method() == "exit";
                        let request = assembly.incoming(request, layer.encoding());
                        routed = request.unwrap_or_else(|request| layer.incoming(request));
                    }
                    Ok(Message::Response(response)) => {
                        let _ = responses.send(response).await;
                    }
                    Err(response) => responses_now.push(*response),
                }
            }
            answer = handlers.select_next_some() => responses_now.extend(answered(&mut layer, answer)),
            request = requests.select_next_some() => {
                if let Some(request) = layer.told(request)
                    && !serde_json::to_string(&request).is_ok_and(&mut outgoing)
                {
                    return End::Abrupt;
                }
            }
            message = from_server.select_next_some() => {
                let message = match assembly.told_by_server(message) {
                    Ok(incoming) => {
                        routed = incoming;
                        None
                    }
                    Err(message) => Some(message),
                };
                if let Some(Outgoing::Embedded(enabled)) = message {
                    routed = layer.enable(enabled);
                } else if let Some(message) = message {
                    // Sent in order: the first poll takes the place in the client's queue.
                    let (client, events) = (client.clone(), events.clone());
                    let mut message = send(client, events, setting_up.clone(), running.clone(), message).boxed();
                    if futures::poll!(&mut message).is_pending() {
                        messages.push(message);
                    }
                }
            }
            () = messages.select_next_some() => {}
        };
        for (path, given) in routed.given {
            let _ = events.unbounded_send(Event::Given(path, given));
        }
        for request in routed.forward {
            let mut handler = service.call(without_empty_params(request));
            match futures::poll!(&mut handler) {
                std::task::Poll::Ready(answer) => responses_now.extend(answered(&mut layer, answer)),
                std::task::Poll::Pending => handlers.push(handler),
            }
        }
        if exit {
            return end();
        }
        for notification in routed.notifications {
            if !serde_json::to_string(&notification).is_ok_and(&mut outgoing) {
                return End::Abrupt;
            }
        }
        for response in responses_now.into_iter().chain(routed.answers) {
            let response = announcement.complete(response);
            if !serde_json::to_string(&response).is_ok_and(&mut outgoing) {
                return End::Abrupt;
            }
        }
    }
}

/// What a handler has answered, as the client gets it.
fn answered<E>(layer: &mut Layer, answer: Result<Option<Response>, E>) -> Option<Response> {
    layer.answered(answer.ok().flatten()?)
}

/// What takes no parameters takes an empty object, too, which some clients always send.
fn without_empty_params(request: Request) -> Request {
    const WITHOUT: &[&str] = &["shutdown", "exit", "coopmat-analyzer/devices"];
    let is_empty = |params: &Value| settings::says_nothing(params);
    let empty =
        request.params().and_then(|params| serde_json::to_value(params).ok()).is_some_and(|p| is_empty(&p));
    if !empty || !WITHOUT.contains(&request.method()) {
        return request;
    }
    let (method, id, _) = request.into_parts();
    let bare = Request::build(method);
    match id {
        Some(id) => bare.id(id).finish(),
        None => bare.finish(),
    }
}

enum Message {
    Request(Request),
    Response(Response),
}

/// Reads a message; the error is what to answer.
fn decode(text: &str) -> Result<Message, Box<Response>> {
    let refuse = |id: Option<Id>, error| Box::new(Response::from_error(id.unwrap_or_default(), error));
    let probe: Probe = serde_json::from_str(text).map_err(|error| {
        refuse(None, if error.is_data() { Error::invalid_request() } else { Error::parse_error() })
    })?;
    if probe.method.is_some() {
        let id = probe.id.and_then(|id| serde_json::from_value(id).ok());
        serde_json::from_str(text).map(Message::Request).map_err(|_| refuse(id, Error::invalid_request()))
    } else {
        serde_json::from_str(text).map(Message::Response).map_err(|_| refuse(None, Error::invalid_request()))
    }
}

async fn send(client: Client, events: Events, setting_up: SettingUp, running: Running, message: Outgoing) {
    match message {
        Outgoing::Publish { uri, diagnostics, version } => {
            client.publish_diagnostics(uri, diagnostics, version).await;
        }
        Outgoing::Register(registrations) => drop(client.register_capability(registrations).await),
        Outgoing::RefreshDiagnostics => drop(client.workspace_diagnostic_refresh().await),
        Outgoing::RefreshTokens => drop(client.semantic_tokens_refresh().await),
        Outgoing::RefreshInlayHints => drop(client.inlay_hint_refresh().await),
        Outgoing::RefreshCodeLenses => drop(client.code_lens_refresh().await),
        Outgoing::VirtualChanged { uri, channel: Channel::Content } => {
            drop(client.send_request::<Refresh>(serde_json::json!({ "uri": uri })).await);
        }
        Outgoing::VirtualChanged { uri, channel: Channel::Own } => {
            client.send_notification::<Changed>(serde_json::json!({ "uri": uri })).await;
        }
        // Taken before.
        Outgoing::Embedded(_) => {}
        Outgoing::SpirvVal(_) | Outgoing::Validated { .. } => {}
        Outgoing::InView(value) => client.send_notification::<in_view::Told>(value).await,
        Outgoing::ShowMessage(kind, text) => client.show_message(kind, text).await,
        Outgoing::OfferSetUp { message, uri } => {
            let button =
                MessageActionItem { title: set_up::TITLE.to_owned(), properties: Default::default() };
            let answer = client.show_message_request(MessageType::INFO, message, Some(vec![button])).await;
            if answer.is_ok_and(|chosen| chosen.is_some_and(|chosen| chosen.title == set_up::TITLE)) {
                setting_up.offered(Some(uri)).await;
            }
        }
        Outgoing::Progress(title, Watched { stop, told }) => {
            running.begin(None, stop, title).tell(&client, told).await;
        }
        Outgoing::Choose { message, choices, then } => {
            let item = |title| MessageActionItem { title, properties: Default::default() };
            let actions = choices.into_iter().map(item).collect();
            let answer = client.show_message_request(MessageType::INFO, message, Some(actions)).await;
            if let Ok(Some(chosen)) = answer {
                then(chosen.title);
            }
        }
        Outgoing::FetchSettings => {
            let item = ConfigurationItem { scope_uri: None, section: Some(settings::SECTION.to_owned()) };
            let answer = client
                .send_request::<request::WorkspaceConfiguration>(tower_lsp::ls_types::ConfigurationParams {
                    items: vec![item],
                })
                .await;
            // A client that has none to tell is not waited for either.
            let value = answer.ok().and_then(|values| values.into_iter().next()).unwrap_or_default();
            let _ = events.unbounded_send(Event::Settings(SettingsEvent::Fetched(value)));
        }
    }
}
