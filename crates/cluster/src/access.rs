//! How a NATS server is reached: where it is, and what it is shown before it lets anybody in. No password is ever
//! told again.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::PathBuf;

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use crate::server::Error;

/// What is shown to a server.
enum Login {
    Nothing,
    Token(String),
    Password { user: String, password: String },
}

/// A server, and how it is reached.
pub struct Access {
    server: ServerAddr,
    login: Login,
    /// The certificate of whoever vouches for the server, if that is not one of this machine's.
    authority: Option<PathBuf>,
    /// Our own certificate and its key.
    certificate: Option<(PathBuf, PathBuf)>,
}

/// Words of an address, in which some letters are written as `%40`.
fn decoded(words: &str) -> Result<String, Error> {
    let decoded = percent_decode_str(words).decode_utf8();
    let expected = "UTF-8 behind the % of a user or password";
    let decoded = decoded.map_err(|_| Error::Address(expected.to_owned()))?;
    Ok(decoded.into_owned())
}

impl Access {
    /// By an address such as `nats://USER:PASSWORD@HOST:4222` or `tls://HOST`, and by what `variable` says of
    /// `NATS_USER`, `NATS_PASSWORD`, `NATS_CA`, `NATS_CERT` and `NATS_KEY`, as for the command `nats`. A user in
    /// the address counts before one of a variable.
    ///
    /// # Errors
    ///
    /// If that is no address, or half of what belongs together.
    pub fn of(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let server: ServerAddr = url.parse().map_err(|error: io::Error| {
            Error::Address(format!("nats://HOST:4222 or the like ({error})"))
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
        // They are read whenever we connect, wherever this process is then.
        let file = |name: String| std::path::absolute(&name).unwrap_or(name.into());
        Ok(Self {
            server,
            login,
            authority: variable("NATS_CA").map(file),
            certificate: certificate.map(|(own, key)| (file(own), file(key))),
        })
    }

    /// The address and these options with all that the server wants to see.
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

    /// What it means that there is no connection.
    pub(crate) fn refused(&self, error: &ConnectError) -> Error {
        let (url, cause) = (self.to_string(), error.to_string());
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                Error::NotLetIn { url }
            }
            ConnectErrorKind::Tls => Error::Tls { url, cause },
            // What the client says of a handshake that fails.
            ConnectErrorKind::Io if is_of_data(error) => Error::Tls { url, cause },
            _ => Error::Unreachable { url, cause },
        }
    }
}

/// True of an error of what was read, not of reading.
fn is_of_data(error: &ConnectError) -> bool {
    let source = error.source().and_then(|it| it.downcast_ref());
    source.is_some_and(|cause: &io::Error| cause.kind() == io::ErrorKind::InvalidData)
}

/// The address without user and password.
impl fmt::Display for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.server.clone().into_inner();
        // Where there can be none, there is none to be told.
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
