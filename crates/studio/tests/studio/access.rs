//! Tests access control: which host names, origins and tokens the server accepts.

use std::net::{SocketAddr, TcpStream};

use turnwise_studio::{Config, PublicUrl};

use crate::support::{Server, config, start, start_at};

/// Sends a request and returns the status of the answer. `host` is the whole line with the `Host` header, or an empty
/// text.
fn under(server: &Server, host: &str) -> u16 {
    let head = format!("GET /api/about HTTP/1.1\r\n{host}");
    server.ask(&head, "").status
}

#[test]
fn a_name_that_was_made_to_point_here_is_not_answered() {
    let server = start(config());
    let port = server.address.port();
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        assert_eq!(under(&server, &format!("Host: {host}\r\n")), 200, "{host}");
        assert_eq!(
            under(&server, &format!("Host: {host}:{port}\r\n")),
            200,
            "{host}"
        );
    }
    let strange = [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.0.7",
        "",
        "@localhost",
        "localhost@evil.example",
    ];
    for host in strange {
        assert_eq!(
            under(&server, &format!("Host: {host}:{port}\r\n")),
            421,
            "{host}"
        );
    }
    assert_eq!(
        under(&server, "Host: localhost\r\nHost: evil.example\r\n"),
        421
    );
    assert_ne!(under(&server, ""), 200);
}

#[test]
fn pages_of_other_origins_are_not_answered() {
    let server = start(config());
    let address = server.address;
    let from = |origin: &str, kind: &str| {
        let body = "{\"ask\":\"games\"}";
        let head = format!(
            "POST /api/ask HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\n{origin}\
             Content-Length: {}\r\n",
            body.len()
        );
        server.ask(&head, body).status
    };
    let json = "application/json";
    assert_eq!(from("", json), 200);
    assert_eq!(from(&format!("Origin: http://{address}\r\n"), json), 200);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "https://evil.example",
    ] {
        assert_eq!(
            from(&format!("Origin: {origin}\r\n"), json),
            403,
            "{origin}"
        );
    }
    // A form on another page can send these content types without asking the server first.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        assert_eq!(from("", kind), 415, "{kind}");
    }
    let events = format!(
        "GET /api/live/events HTTP/1.1\r\nHost: {address}\r\nOrigin: http://evil.example\r\n"
    );
    assert_eq!(server.ask(&events, "").status, 403);
}

#[test]
fn beyond_this_machine_nobody_comes_in_without_the_token() {
    let server = start_at("0.0.0.0:0", config(), None);
    let (_, token) = server
        .link
        .split_once("?token=")
        .expect("a token in the link");
    assert_eq!(token.len(), 32);
    for path in [
        "/",
        "/web/index.html",
        "/api/about",
        "/api/logs",
        "/?token=",
        "/?token=x",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.head.contains(token) && !answer.body.contains(token));
    }
    assert_eq!(
        server.get(&format!("/?token={}", "0".repeat(32))).status,
        403
    );
    let admitted = server.get(&format!("/?token={token}"));
    assert_eq!(
        (admitted.status, admitted.header("location")),
        (303, Some("/"))
    );
    let cookie = admitted.header("set-cookie").expect("a cookie");
    assert!(
        cookie.contains("httponly") && cookie.contains("samesite=lax"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().expect("a pair");
    let with = |cookie: &str| {
        let head = format!(
            "GET /api/about HTTP/1.1\r\nHost: {}\r\nCookie: other=1; {cookie}\r\n",
            server.address
        );
        server.ask(&head, "").status
    };
    assert_eq!(with(cookie), 200);
    assert_eq!(with(&cookie[..cookie.len() - 1]), 403);
    assert_eq!(
        under(
            &server,
            &format!("Host: evil.example\r\nCookie: {cookie}\r\n")
        ),
        421
    );
}

#[test]
fn the_link_to_a_server_on_all_addresses_names_a_real_address() {
    let server = start_at("0.0.0.0:0", config(), None);
    let address = server.link.trim_start_matches("http://").split_once('/');
    let (address, _) = address.expect("a path in the link");
    let address: SocketAddr = address.parse().expect("an address");
    assert!(!address.ip().is_unspecified(), "{address}");
    TcpStream::connect(address).expect("the address is reachable");
}

#[test]
fn two_tokens_differ() {
    let [one, other] = [0, 1].map(|_| start_at("0.0.0.0:0", config(), None).link.clone());
    let token = |link: &str| link.split_once('=').map(|(_, token)| token.to_owned());
    assert_ne!(token(&one), token(&other));
}

#[test]
fn every_answer_says_what_browsers_are_to_keep_to() {
    let server = start(config());
    let paths = [
        "/",
        "/web/index.html",
        "/api/about",
        "/api/logs",
        "/nothing",
        "/api/live/events",
    ];
    for path in paths {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").expect("a policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(rule), "{path}");
        }
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(
            answer.header("referrer-policy"),
            Some("no-referrer"),
            "{path}"
        );
        let cache = if path.starts_with("/api/") {
            "no-store"
        } else {
            "no-cache"
        };
        assert_eq!(answer.header("cache-control"), Some(cache), "{path}");
    }
    let refused = server.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n", "");
    assert!(refused.header("content-security-policy").is_some());
}

#[test]
fn behind_a_proxy_the_server_has_a_name() {
    let public: PublicUrl = "https://Play.example:443/".parse().expect("an address");
    let server = start(Config {
        public: Some(public),
        ..config()
    });
    let token = server.link.strip_prefix("https://play.example/?token=");
    let token = token.expect("the name and a token");
    let port = server.address.port();
    let status = |host: &str, origin: &str, token: &str| {
        let head = format!(
            "GET /api/about HTTP/1.1\r\nHost: {host}\r\n{origin}Cookie: turnwise-{port}={token}\r\n"
        );
        server.ask(&head, "").status
    };
    // Browsers send no cookie of the server over an unencrypted connection.
    let head = format!("GET /?token={token} HTTP/1.1\r\nHost: play.example\r\n");
    let entered = server.ask(&head, "");
    let set = entered.header("set-cookie").expect("a cookie");
    assert!(set.ends_with("; secure"), "{set}");
    let body =
        r#"{"game":"entropy","settings":{"size":5},"side":0,"time":{"kind":"nodes","nodes":1}}"#;
    let head = format!(
        "POST /api/matches HTTP/1.1\r\nHost: play.example\r\nCookie: turnwise-{port}={token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    let seated = server.ask(&head, body);
    let set = seated.header("set-cookie").expect("a cookie");
    assert!(set.ends_with("; secure"), "{set}");
    let own = "Origin: https://play.example\r\n";
    let address = server.address.to_string();
    for host in ["play.example", "PLAY.example", &address] {
        assert_eq!(status(host, own, token), 200, "{host}");
        assert_eq!(status(host, "", token), 200, "{host}");
        assert_eq!(status(host, own, ""), 403, "{host}");
        assert_eq!(status(host, "Origin: https://evil.example\r\n", token), 403);
    }
    for host in [
        "evil.example",
        "play.example.evil.example",
        "play.example:1",
    ] {
        assert_eq!(status(host, own, token), 421, "{host}");
    }
    for wrong in [
        "",
        "play.example",
        "ftp://play.example",
        "https://play.example/studio",
        "https://play.example/?a",
        "https://a@play.example",
        "https://",
    ] {
        assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
    }
}
