//! Describes how to reach a NATS server: its address and the required credentials. Passwords are never printed.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::PathBuf;

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use crate::server::Error;

/// The credentials with which a client logs in to a server.
enum Login {
    Nothing,
    Token(String),
    Password { user: String, password: String },
}

/// A NATS server's address, and the credentials and certificates to reach it.
pub struct Access {
    server: ServerAddr,
    login: Login,
    /// The file with the certificate authority of the server, unless this machine trusts that authority already.
    authority: Option<PathBuf>,
    /// The files with the client's certificate and with its key.
    certificate: Option<(PathBuf, PathBuf)>,
}

/// Decodes the percent-encoding in a part of an address, for example `%40` for `@`.
fn decoded(words: &str) -> Result<String, Error> {
    let decoded = percent_decode_str(words).decode_utf8();
    let expected = "UTF-8 in the percent-encoded user and password";
    let decoded = decoded.map_err(|_| Error::Address(expected.to_owned()))?;
    Ok(decoded.into_owned())
}

impl Access {
    /// Parses an address, for example `nats://USER:PASSWORD@HOST:4222` or `tls://HOST`.
    ///
    /// `variable` returns the value of an environment variable. As for the command `nats`, these are `NATS_USER`,
    /// `NATS_PASSWORD`, `NATS_CA`, `NATS_CERT` and `NATS_KEY`. A user in the address takes precedence over a variable.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid, or if a user has no password or a certificate has no key.
    pub fn of(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let server: ServerAddr = url.parse().map_err(|error: io::Error| {
            Error::Address(format!("an address such as nats://HOST:4222 ({error})"))
        })?;
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let both = |one: &str, other: &str| match (variable(one), variable(other)) {
            (Some(one), Some(other)) => Ok(Some((one, other))),
            (None, None) => Ok(None),
            _ => Err(Error::Address(format!("both {one} and {other} or neither"))),
        };
        let login = match (server.username(), server.password()) {
            (None, None) => match both("NATS_USER", "NATS_PASSWORD")? {
                Some((user, password)) => Login::Password { user, password },
                None => Login::Nothing,
            },
            (Some(token), None) => Login::Token(decoded(token)?),
            (user, password) => Login::Password {
                user: decoded(user.unwrap_or_default())?,
                password: decoded(password.unwrap_or_default())?,
            },
        };
        let certificate = both("NATS_CERT", "NATS_KEY")?;
        // The paths are made absolute: the files are read at each connection, when the working directory may differ.
        let file = |name: String| std::path::absolute(&name).unwrap_or(name.into());
        Ok(Self {
            server,
            login,
            authority: variable("NATS_CA").map(file),
            certificate: certificate.map(|(own, key)| (file(own), file(key))),
        })
    }

    /// Returns the server's address, and `options` with all credentials added.
    pub(crate) fn with(&self, options: ConnectOptions) -> (ServerAddr, ConnectOptions) {
        let mut options = match &self.login {
            Login::Nothing => options,
            Login::Token(token) => options.token(token.clone()),
            Login::Password { user, password } => {
                options.user_and_password(user.clone(), password.clone())
            }
        };
        if let Some(authority) = &self.authority {
            options = options.add_root_certificates(authority.clone());
        }
        if let Some((own, key)) = &self.certificate {
            options = options.add_client_certificate(own.clone(), key.clone());
        }
        (self.server.clone(), options)
    }

    /// Converts an error of the NATS client's connection into our error.
    pub(crate) fn refused(&self, error: &ConnectError) -> Error {
        let (url, cause) = (self.to_string(), error.to_string());
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                Error::NotLetIn { url }
            }
            ConnectErrorKind::Tls => Error::Tls { url, cause },
            // The client reports a failed TLS handshake as an I/O error of the kind "invalid data".
            ConnectErrorKind::Io if is_of_data(error) => Error::Tls { url, cause },
            _ => Error::Unreachable { url, cause },
        }
    }
}

/// Returns true if a connection failed because the received data is invalid, and not because the network failed.
fn is_of_data(error: &ConnectError) -> bool {
    let source = error.source().and_then(|it| it.downcast_ref());
    source.is_some_and(|cause: &io::Error| cause.kind() == io::ErrorKind::InvalidData)
}

/// Prints the address without user and password.
impl fmt::Display for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.server.clone().into_inner();
        // Removing the user fails only if the address cannot contain one.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        write!(out, "{url}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(url: &str, variables: &[(&str, &str)]) -> Result<Access, Error> {
        Access::of(url, &|wanted| {
            let mut known = variables.iter();
            let found = known.find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_user_comes_from_the_address_or_from_the_environment() {
        let variables = [("NATS_USER", "eve"), ("NATS_PASSWORD", "pw")];
        for (url, variables, expected) in [
            ("nats://host", &[][..], None),
            ("nats://host", &variables, Some(("eve", "pw"))),
            (
                "nats://ada:p%40ss%2F@host:1",
                &variables,
                Some(("ada", "p@ss/")),
            ),
            (
                "host:4222",
                &[("NATS_USER", ""), ("NATS_PASSWORD", "")],
                None,
            ),
        ] {
            let login = access(url, variables).expect(url).login;
            let login = match &login {
                Login::Password { user, password } => Some((&**user, &**password)),
                _ => None,
            };
            assert_eq!(login, expected, "{url}");
        }
        let token = access("nats://s3cret@host", &variables)
            .expect("a token")
            .login;
        assert!(matches!(token, Login::Token(token) if token == "s3cret"));
    }

    #[test]
    fn an_address_is_told_without_its_password() {
        for url in ["nats://ada:s3cret@host:4222", "tls://s3cret@host:4222"] {
            let told = access(url, &[]).expect(url).to_string();
            assert!(told.ends_with("://host:4222"), "{told}");
        }
    }

    #[test]
    fn halves_and_what_is_no_address_are_refused() {
        for (url, variables) in [
            ("http://ada:s3cret@host", &[][..]),
            ("nats://ada:s3cret@host:port", &[]),
            ("nats://ada:%ff@host", &[]),
            ("nats://host", &[("NATS_USER", "ada")]),
            ("nats://host", &[("NATS_CERT", "own.pem")]),
        ] {
            let error = access(url, variables).err().expect(url).to_string();
            assert!(error.starts_with("expected "), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
