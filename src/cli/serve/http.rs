//! HTTP/1.1 by hyper: connections, limits, headers. What is answered the router says.

use super::reply::{Body, Refusal, Reply};
use super::request::Request;
use bytes::Bytes;
use duchamp_base::Control;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;
use tokio_io_timeout::TimeoutStream;

/// Connections at a time; others wait.
const CONNECTIONS: usize = 256;
/// The longest request line with all headers.
const LONGEST_HEAD: usize = 16 << 10;
/// A client that takes longer to send its headers is cut off.
const PATIENCE: Duration = Duration::from_secs(10);
/// So is one that leaves an answer unread for so long.
const UNREAD: Duration = Duration::from_secs(30);

/// Scripts, pictures and styles come from here alone, and nobody frames the page.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What our own page sends with a POST. Another origin's page cannot without being asked first, and that is never allowed.
const OWN: HeaderName = HeaderName::from_static("x-duchamp");

/// How the page that has the browser ask stands to this server; browsers alone set it.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    /// Something is read.
    Get,
    /// Something is done.
    Post,
}

/// Answers requests.
pub(super) trait Router: Send + Sync + 'static {
    /// The answer, on a thread that may take its time; `control` is cancelled when the client goes away.
    fn answer(self: Arc<Self>, verb: Verb, request: &Request, control: &Arc<Control>) -> Reply;

    /// Whether pages of other origins may read the answer to this GET: it tells nothing of this machine.
    fn is_public(&self, request: &Request) -> bool;

    /// A control for the work of one request.
    fn control(&self) -> Arc<Control>;
}

/// Cancels the work of a request when its client is gone.
struct Watched(Arc<Control>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A body of server-sent events. Their work is cancelled when it is dropped.
struct Events {
    events: Receiver<String>,
    _watched: Option<Watched>,
}

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = self.get_mut().events.poll_recv(context);
        event.map(|event| event.map(|text| Ok(Frame::data(Bytes::from(text)))))
    }
}

/// A second handle of a connection. hyper notices that a client has gone away unless bytes wait that it sent behind its request.
struct Client(Option<TcpStream>);

impl Client {
    fn of(stream: TcpStream) -> std::io::Result<(TcpStream, Client)> {
        let stream = stream.into_std()?;
        let client = stream.try_clone().and_then(TcpStream::from_std);
        Ok((TcpStream::from_std(stream)?, Client(client.ok())))
    }

    /// Comes back when the client has closed its side.
    async fn gone(&self) {
        let Some(stream) = &self.0 else {
            return std::future::pending().await;
        };
        while let Ok(ready) = stream.ready(Interest::READABLE).await {
            if ready.is_read_closed() {
                return;
            }
            // The bytes are hyper's: wait for news.
            let none = || Err::<(), _>(std::io::ErrorKind::WouldBlock.into());
            let _ = stream.try_io(Interest::READABLE, none);
        }
    }
}

type Sent = Response<BoxBody<Bytes, Infallible>>;

/// Answers connections until the program ends.
pub(super) async fn serve<R: Router>(listener: TcpListener, router: Arc<R>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let Ok(own) = listener.local_addr() else {
        return;
    };
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            // Such as too many open files: others end.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let router = Arc::clone(&router);
        tokio::spawn(async move {
            let Ok((stream, client)) = Client::of(stream) else {
                return;
            };
            let client = Arc::new(client);
            let service = service_fn(move |request| {
                let (router, client) = (Arc::clone(&router), Arc::clone(&client));
                async move { Ok::<_, Infallible>(answer(router, request, own, &client).await) }
            });
            let mut server = hyper::server::conn::http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .max_buf_size(LONGEST_HEAD);
            // Events may be rare, but what is sent must be read.
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(UNREAD));
            let stream = TokioIo::new(Box::pin(stream));
            // A client that breaks off or sends nonsense is its own affair.
            let _ = server.serve_connection(stream, service).await;
            drop(place);
        });
    }
}

async fn answer<R: Router>(
    router: Arc<R>,
    request: hyper::Request<Incoming>,
    own: SocketAddr,
    client: &Client,
) -> Sent {
    let reply = match checked(&request, own) {
        Ok((verb, request)) => {
            let readable = verb == Verb::Get && router.is_public(&request);
            let control = router.control();
            let watched = Watched(Arc::clone(&control));
            let job = Arc::clone(&control);
            let mut work = tokio::task::spawn_blocking(move || router.answer(verb, &request, &job));
            let mut gone = pin!(client.gone());
            let first = poll_fn(|context| match Pin::new(&mut work).poll(context) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                Poll::Pending => gone.as_mut().poll(context).map(|()| None),
            });
            let done = match first.await {
                Some(done) => done,
                None => {
                    control.cancel();
                    work.await
                }
            };
            let reply = done.unwrap_or_else(|_| {
                Refusal::failed(
                    "the answer could not be worked out: this is a fault of the program",
                )
                .into()
            });
            return sent(reply, Some(watched), readable);
        }
        Err(refusal) => Reply::from(refusal),
    };
    sent(reply, None, false)
}

/// What a request wants, if it may.
fn checked(
    request: &hyper::Request<Incoming>,
    own: SocketAddr,
) -> Result<(Verb, Request), Refusal> {
    if !is_ours(request.headers(), own) {
        return Err(Refusal::new(
            403,
            "the Host header names another machine: use the address that the server printed",
        ));
    }
    let verb = match *request.method() {
        Method::GET | Method::HEAD => Verb::Get,
        Method::POST if request.headers().contains_key(OWN) => Verb::Post,
        Method::POST => {
            return Err(Refusal::new(403, "a POST needs the header X-Duchamp: 1"));
        }
        _ => return Err(Refusal::new(405, "only GET, HEAD and POST are answered")),
    };
    let uri = request.uri();
    let site = request.headers().get(SITE);
    let mut asked = Request::new(uri.path(), uri.query().unwrap_or_default());
    asked.foreign = site.is_some_and(|site| site == "cross-site");
    Ok((verb, asked))
}

/// Whether the client asked for this server by an address of its own, so that no name of somebody else's leads here (DNS
/// rebinding). A server that listens for other machines goes by any name.
fn is_ours(headers: &HeaderMap, own: SocketAddr) -> bool {
    if !own.ip().is_loopback() {
        return true;
    }
    let Some(host) = headers.get(header::HOST) else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// An answer as it goes out. The work of events goes on until `watched` is dropped with the body.
/// Pages of other origins may read what is `readable`.
fn sent(reply: Reply, watched: Option<Watched>, readable: bool) -> Sent {
    let (status, media, body) = match reply {
        Reply::Whole {
            status,
            media,
            body,
        } => {
            let bytes = match body {
                Body::Static(bytes) => Bytes::from_static(bytes),
                Body::Owned(bytes) => Bytes::from(bytes),
            };
            (status, media, Full::new(bytes).boxed())
        }
        Reply::Events(events) => {
            let body = Events {
                events,
                _watched: watched,
            };
            (200, "text/event-stream", body.boxed())
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, media);
    set(header::CACHE_CONTROL, "no-cache");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    if readable {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    response
}
