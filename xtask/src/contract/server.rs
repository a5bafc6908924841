//! The made-up Responses server: one loopback port, a script of answers, and a
//! record of what was asked. It knows the client's protocol and no case.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Value, json};

/// A request larger than this, in bytes, is cut and can't be answered.
const MAX_REQUEST: u64 = 16 << 20;

/// What one request for an answer of the model gets.
#[derive(Clone)]
pub(super) enum Answer {
    /// These events, and the end of the body as HTTP has it.
    Whole(Vec<Value>),
    /// These events; then the connection is closed inside the body.
    Broken(Vec<Value>),
    /// Nothing at all, and the connection stays open.
    Never,
}

/// The event that begins an answer.
pub(super) fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "response-1"}})
}

/// One finished output item: a message or a call of a tool.
pub(super) fn item(item: &Value) -> Value {
    json!({"type": "response.output_item.done", "item": item})
}

/// A finished message with this text.
pub(super) fn message(text: &str) -> Value {
    item(&json!({
        "type": "message",
        "id": "message-1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }))
}

/// The event that completes an answer: 120 tokens in, 40 of them from the cache,
/// 17 out, 5 of them reasoning.
pub(super) fn completed() -> Value {
    json!({"type": "response.completed", "response": {"id": "response-1", "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 40},
        "output_tokens": 17,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 137,
    }}})
}

/// The event of an answer that failed with this code.
pub(super) fn failed(code: &str) -> Value {
    let error = json!({"code": code, "message": "made up"});
    json!({"type": "response.failed", "response": {"id": "response-1", "error": error}})
}

/// A request as it came. Values of headers are not kept: one of them is the login.
#[derive(Clone, Serialize)]
pub(super) struct Request {
    pub(super) method: String,
    /// With the query.
    pub(super) path: String,
    pub(super) headers: Vec<String>,
    /// Whether it carried the invented login.
    pub(super) login: bool,
    /// Null where it is no JSON.
    pub(super) body: Value,
}

impl Request {
    /// Whether it asks for an answer of the model.
    pub(super) fn is_turn(&self) -> bool {
        self.method == "POST" && self.route().ends_with("/responses")
    }

    fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Reads one request; fails where it is none or the connection ends in it.
    fn read(stream: impl Read, token: &str) -> io::Result<Self> {
        let mut reader = BufReader::new(stream).take(MAX_REQUEST);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            login: false,
            body: Value::Null,
        };
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            let (name, value) = (name.to_ascii_lowercase(), value.trim());
            match name.as_str() {
                "authorization" => request.login = value.strip_prefix("Bearer ") == Some(token),
                "content-length" => length = value.parse().unwrap_or(0),
                _ => {}
            }
            request.headers.push(name);
        }
        let mut body = Vec::new();
        reader.take(length).read_to_end(&mut body)?;
        request.body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(request)
    }
}

/// What the threads of one server share.
struct State {
    answers: Vec<Answer>,
    token: String,
    requests: Mutex<Vec<Request>>,
    ended: AtomicBool,
}

/// A running server. Its threads end in [`Server::end`].
pub(super) struct Server {
    address: SocketAddr,
    state: Arc<State>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts on a free port. The n-th request for an answer gets the n-th of
    /// `answers`, every later one the last. `token` is the login that is expected.
    pub(super) fn start(answers: Vec<Answer>, token: String) -> anyhow::Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port on loopback")?;
        let address = listener.local_addr().context("the port has no number")?;
        let state = Arc::new(State {
            answers,
            token,
            requests: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let thread = thread::spawn(move || serve(&listener, &shared));
        Ok(Self {
            address,
            state,
            thread,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes every connection, ends every thread and gives the requests.
    pub(super) fn end(self) -> Vec<Request> {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let woken = TcpStream::connect(self.address);
        if self.thread.join().is_err() || woken.is_err() {
            eprintln!("warning: a thread of the server on {} broke", self.address);
        }
        lock(&self.state.requests).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes connections until the end, a thread for each; waits for all of them.
fn serve(listener: &TcpListener, state: &State) {
    thread::scope(|scope| {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            if state.ended.load(Ordering::SeqCst) {
                break;
            }
            let Ok(stream) = stream.map(Arc::new) else {
                continue;
            };
            open.push(Arc::clone(&stream));
            // A client may go at any time; what it had asked is recorded.
            scope.spawn(move || {
                let _ = answer(&stream, state);
                let _ = stream.shutdown(Shutdown::Both);
            });
        }
        for stream in open {
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
}

/// Reads one request and answers it; the connection is not used again.
fn answer(mut stream: &TcpStream, state: &State) -> io::Result<()> {
    let request = Request::read(stream, &state.token)?;
    let turns = {
        let mut requests = lock(&state.requests);
        requests.push(request.clone());
        requests.iter().filter(|earlier| earlier.is_turn()).count()
    };
    if !request.is_turn() {
        let (status, body) = match (request.method.as_str(), request.route()) {
            // To this the client answers by plain requests at once; after any other
            // refusal it asks six times more for a web socket.
            ("GET", route) if route.ends_with("/responses") => ("426 Upgrade Required", "{}"),
            ("GET", route) if route.ends_with("/models") => ("200 OK", r#"{"models":[]}"#),
            _ => ("404 Not Found", "{}"),
        };
        let length = body.len();
        return write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
    }
    let last = state.answers.len().saturating_sub(1);
    match state.answers.get((turns - 1).min(last)) {
        Some(Answer::Whole(events)) => {
            events_to(stream, events)?;
            write!(stream, "0\r\n\r\n")
        }
        Some(Answer::Broken(events)) => events_to(stream, events),
        Some(Answer::Never) | None => {
            let mut rest = [0; 64];
            while stream.read(&mut rest)? > 0 {}
            Ok(())
        }
    }
}

/// The head of an event stream and each event as one chunk, without the last one.
fn events_to(mut stream: &TcpStream, events: &[Value]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )?;
    for event in events {
        let name = event["type"].as_str().unwrap_or_default();
        let text = format!("event: {name}\ndata: {event}\n\n");
        write!(stream, "{:x}\r\n{text}\r\n", text.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request as bytes, gives all that comes back.
    fn asked(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn answers_come_in_order_and_requests_are_kept_without_the_login() {
        let answers = vec![
            Answer::Broken(vec![created()]),
            Answer::Whole(vec![completed()]),
        ];
        let server = Server::start(answers, "made-up".to_owned()).unwrap();
        let turn = "POST /v1/responses HTTP/1.1\r\nAuthorization: Bearer made-up\r\n\
                    Content-Length: 11\r\n\r\n{\"model\":1}";
        let broken = asked(&server, turn);
        assert!(broken.contains("response.created"), "{broken}");
        assert!(!broken.ends_with("0\r\n\r\n"), "{broken}");
        for _ in 0..2 {
            let whole = asked(&server, turn);
            assert!(whole.contains("response.completed"), "{whole}");
            assert!(whole.ends_with("\r\n0\r\n\r\n"), "{whole}");
        }
        let refused = asked(&server, "GET /v1/responses HTTP/1.1\r\n\r\n");
        assert!(refused.starts_with("HTTP/1.1 426 "), "{refused}");
        let models = asked(&server, "GET /v1/models?version=1 HTTP/1.1\r\n\r\n");
        assert!(models.ends_with("\r\n\r\n{\"models\":[]}"), "{models}");

        let requests = server.end();
        assert_eq!(requests.iter().filter(|it| it.is_turn()).count(), 3);
        assert_eq!(requests.len(), 5);
        assert!(requests[0].login && !requests[3].login);
        assert_eq!(requests[0].body["model"], 1);
        let kept = serde_json::to_string(&requests).unwrap();
        assert!(!kept.contains("made-up"), "{kept}");
    }

    #[test]
    fn the_end_closes_a_request_that_is_never_answered() {
        let server = Server::start(vec![Answer::Never], String::new()).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream
            .write_all(b"POST /v1/responses HTTP/1.1\r\n\r\n")
            .unwrap();
        // The end may come before the request was read; then it is closed too.
        server.end();
        let mut answer = Vec::new();
        // Closed, in either way, and without a byte of an answer.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty());
    }
}
