//! Access control: rejects requests from web pages of other origins, and requests with a host name that does not belong
//! to this server.
//!
//! If clients on other machines can reach the server, every client also needs the token that the server's link
//! contains.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use turnwise_engine::guest::Secret;
use turnwise_engine::words::hex;

use crate::answers::Refusal;

/// The content security policy: pages load content only from this server, and no other page may show them in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Returns the address from which this machine reaches other networks, or the loopback address if it has no network.
fn own_address(listening: IpAddr) -> IpAddr {
    // These addresses are reserved for documentation. Connecting a UDP socket only selects a route and sends nothing.
    let (elsewhere, loopback): (SocketAddr, IpAddr) = match listening {
        IpAddr::V4(_) => (
            (Ipv4Addr::new(192, 0, 2, 1), 9).into(),
            Ipv4Addr::LOCALHOST.into(),
        ),
        IpAddr::V6(_) => (
            (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
            Ipv6Addr::LOCALHOST.into(),
        ),
    };
    let found = UdpSocket::bind((listening, 0)).and_then(|socket| {
        socket.connect(elsewhere)?;
        socket.local_addr()
    });
    found.map_or(loopback, |address| address.ip())
}

/// Returns 128 random bits as hexadecimal digits.
///
/// # Errors
///
/// Returns an error if the system provides no random numbers.
pub fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Returns the value of the cookie with this name, if the request contains it.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = text(headers, header::COOKIE)?.split(';');
    let mut cookies = cookies.filter_map(|it| it.trim().split_once('='));
    cookies.find_map(|(cookie, value)| (cookie == name).then_some(value))
}

/// The address of the server in browsers, if a proxy offers it under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// The scheme, the host name and, unless it is the scheme's default, the port, as browsers send them.
    origin: String,
}

impl PublicUrl {
    /// Returns the host name and the port, as the header `Host` contains them.
    fn authority(&self) -> &str {
        let (_, authority) = self.origin.split_once("://").unwrap_or_default();
        authority
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected an address such as https://play.example, got {text:?}");
        let url: Uri = text.parse().map_err(|_| wrong())?;
        let (scheme, authority) = url.scheme_str().zip(url.authority()).ok_or_else(wrong)?;
        let usual = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => return Err(wrong()),
        };
        let authority = authority.as_str().to_ascii_lowercase();
        if url.path() != "/" || url.query().is_some() || authority.contains('@') {
            return Err(wrong());
        }
        let authority = authority.strip_suffix(usual).unwrap_or(&authority);
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
        })
    }
}

/// Returns the attribute of a cookie that keeps it off unencrypted connections, if the server has an address of https.
pub fn secure(address: &str) -> &'static str {
    match address.starts_with("https://") {
        true => "; Secure",
        false => "",
    }
}

/// The rules that decide, according to host name, origin and token, which requests the server answers.
#[derive(Debug)]
pub struct Access {
    listening: SocketAddr,
    public: Option<PublicUrl>,
    /// The token that requests need; `None` if only this machine can reach the server.
    token: Option<Secret>,
}

impl Access {
    /// Creates the access rules for a server that listens at this address, and that a proxy may offer at `public`.
    /// Unless only this machine can reach the server, requests need a token, which is created at random.
    ///
    /// # Errors
    ///
    /// Returns an error if the system provides no random numbers.
    pub fn new(listening: SocketAddr, public: Option<PublicUrl>) -> Result<Self, getrandom::Error> {
        let token = match listening.ip().is_loopback() && public.is_none() {
            true => None,
            false => Some(Secret::new(random()?)),
        };
        Ok(Self {
            listening,
            public,
            token,
        })
    }

    /// Returns the link to the server, with the token if clients need one.
    ///
    /// The link contains the public address if the server has one. Otherwise, if the server listens on all addresses, it
    /// contains this machine's address in the network.
    pub fn link(&self) -> String {
        let mut address = self.listening;
        if address.ip().is_unspecified() {
            address.set_ip(own_address(address.ip()));
        }
        let origin = match &self.public {
            Some(public) => public.origin.clone(),
            None => format!("http://{address}"),
        };
        match &self.token {
            None => format!("{origin}/"),
            Some(token) => format!("{origin}/?token={}", token.reveal()),
        }
    }

    /// Returns the name of the cookie that contains the token. Browsers share cookies between the ports of a host, so
    /// the name contains the port.
    fn cookie(&self) -> String {
        format!("turnwise-{}", self.listening.port())
    }

    fn is_token(&self, given: &str) -> bool {
        match &self.token {
            None => true,
            Some(token) => token.is(given),
        }
    }

    /// Checks that a request names this server by an address, as localhost or by its public name. Anybody can register
    /// a name that points to this server, so other names are rejected.
    fn is_own_host(&self, authority: &str) -> bool {
        let public = self.public.as_ref().map(PublicUrl::authority);
        if public.is_some_and(|public| public.eq_ignore_ascii_case(authority)) {
            return true;
        }
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
                "expected this server's address, its public name or localhost as the host name",
            ));
        }
        // Browsers send the origin with every request that could change data. Other programs usually send no origin,
        // and such requests are accepted.
        let origin = text(headers, header::ORIGIN);
        let public = self.public.as_ref().map(|public| &*public.origin);
        let is_own =
            |origin: &str| origin.strip_prefix("http://") == Some(host) || public == Some(origin);
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

/// Returns the value of a header as text. A header that occurs more than once or is not plain text counts as an empty
/// text.
fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(value.to_str().unwrap_or_default()),
        (Some(_), Some(_)) => Some(""),
    }
}

/// Passes permitted requests to the next handler, and adds security headers to every response.
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

/// Returns the response to a request that is not passed to the next handler, or `None` if the request may pass. A
/// request without permission is answered with an error. If the link contains the token, the response sets the cookie
/// and redirects to the start page.
fn turned_away(access: &Access, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if let Err(refusal) = access.check(request.method(), headers) {
        return Some(refusal.into_response());
    }
    let name = access.cookie();
    if access.is_token(cookie(headers, &name).unwrap_or_default()) {
        return None;
    }
    let query = request.uri().query().unwrap_or_default();
    let mut query = query.split('&').filter_map(|it| it.split_once('='));
    let given = query.find(|&(name, _)| name == "token");
    let Some((_, token)) = given.filter(|(_, token)| access.is_token(token)) else {
        let why = "the token is missing or wrong: open the link that the server has printed";
        return Some(Refusal::new(StatusCode::FORBIDDEN, why).into_response());
    };
    let public = access.public.as_ref();
    let secure = secure(public.map_or("", |public| &public.origin));
    let headers = [
        (
            header::SET_COOKIE,
            // A browser does not send a strict cookie after the redirection if the link was on another site's page.
            format!("{name}={token}; HttpOnly; SameSite=Lax; Path=/{secure}"),
        ),
        (header::LOCATION, "/".to_owned()),
    ];
    Some((StatusCode::SEE_OTHER, headers).into_response())
}
