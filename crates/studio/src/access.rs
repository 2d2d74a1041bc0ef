//! Access control: rejects pages of other origins and foreign names of this server.
//!
//! Clients beyond this machine also need the token in the link.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use turnwise_engine::hosting::Secret;

use crate::answers::Refusal;

/// All content comes from this server, and no other page may show it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Decides from host name, origin and token which requests to answer.
#[derive(Debug)]
pub struct Access {
    listening: SocketAddr,
    /// Required unless only this machine can reach the server.
    token: Option<Secret>,
}

impl Access {
    /// Creates access rules, with a new token unless the server listens on loopback.
    ///
    /// # Errors
    ///
    /// Returns an error if the system provides no random numbers.
    pub fn new(listening: SocketAddr) -> Result<Self, getrandom::Error> {
        let token = match listening.ip().is_loopback() {
            true => None,
            false => {
                let mut bytes = [0; 16];
                getrandom::fill(&mut bytes)?;
                let token = bytes.iter().map(|byte| format!("{byte:02x}"));
                Some(Secret::new(token.collect()))
            }
        };
        Ok(Self { listening, token })
    }

    /// Returns the link to the server.
    pub fn link(&self) -> String {
        let address = self.listening;
        match &self.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?token={}", token.reveal()),
        }
    }

    /// Returns the cookie's name. Cookies ignore ports, so the name contains the port.
    fn cookie(&self) -> String {
        format!("turnwise-{}", self.listening.port())
    }

    fn is_token(&self, given: &str) -> bool {
        match &self.token {
            None => true,
            Some(token) => token.is(given),
        }
    }

    /// Checks the host. A name can point to any server, but an address cannot.
    fn is_own_host(&self, authority: &str) -> bool {
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        };
        if host.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let Ok(address) = host.parse::<IpAddr>() else {
            return false;
        };
        let own = self.listening.ip();
        address.is_loopback() || address == own || own.is_unspecified()
    }

    fn check(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = text(headers, header::HOST).unwrap_or_default();
        if !self.is_own_host(host) {
            return Err(Refusal::new(
                StatusCode::MISDIRECTED_REQUEST,
                "expected this server's address or localhost as the host name",
            ));
        }
        // Browsers send the origin with every request that could change data; other programs send none.
        let origin = text(headers, header::ORIGIN);
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if origin.is_some_and(|origin| !is_own(origin)) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "requests from pages of other origins are rejected",
            ));
        }
        match *method {
            Method::GET | Method::HEAD | Method::POST => Ok(()),
            _ => Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "expected GET or POST",
            )),
        }
    }
}

/// Returns a header's value. A repeated header gets an invalid value.
fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(value.to_str().unwrap_or_default()),
        // Two values count as an invalid value.
        (Some(_), Some(_)) => Some(""),
    }
}

/// Passes permitted requests on, and adds security headers to every response.
pub async fn guard(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match turned_away(&access, &request) {
        None => next.run(request).await,
        Some(response) => response,
    };
    let cache = if is_api { "no-store" } else { "no-cache" };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, cache),
    ];
    for (name, value) in headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Returns the response to a rejected request: an error, or the cookie for the token.
fn turned_away(access: &Access, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if let Err(refusal) = access.check(request.method(), headers) {
        return Some(refusal.into_response());
    }
    let cookies = text(headers, header::COOKIE).unwrap_or_default();
    let mut cookies = cookies
        .split(';')
        .filter_map(|it| it.trim().split_once('='));
    let name = access.cookie();
    let kept = cookies.find(|&(cookie, _)| cookie == name);
    if access.is_token(kept.map_or("", |(_, token)| token)) {
        return None;
    }
    let query = request.uri().query().unwrap_or_default();
    let mut query = query.split('&').filter_map(|it| it.split_once('='));
    let given = query.find(|&(name, _)| name == "token");
    let Some((_, token)) = given.filter(|(_, token)| access.is_token(token)) else {
        let why = "the token is missing or wrong: open the link that the server has printed";
        return Some(Refusal::new(StatusCode::FORBIDDEN, why).into_response());
    };
    let headers = [
        (
            header::SET_COOKIE,
            format!("{name}={token}; HttpOnly; SameSite=Strict; Path=/"),
        ),
        (header::LOCATION, "/".to_owned()),
    ];
    Some((StatusCode::SEE_OTHER, headers).into_response())
}
