//! For whom a request is: the address to which its work is counted. No I/O.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// To whom work is counted: an address, or a network of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Client(IpAddr);

impl Client {
    /// The client behind a connection from this address. A proxy on this machine says in the last
    /// word of `X-Forwarded-For` for whom it asks; anybody else's word counts for nothing.
    pub(super) fn of(peer: IpAddr, headers: &HeaderMap) -> Client {
        let named = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| peer.is_loopback());
        let named = named.and_then(|all| address(all.to_str().ok()?.rsplit(',').next()?.trim()));
        Client::at(named.unwrap_or(peer))
    }

    /// The client at an address. Who has an address of IPv6 has 2^64 of them.
    pub(super) fn at(address: IpAddr) -> Client {
        match address.to_canonical() {
            IpAddr::V6(address) if !address.is_loopback() => {
                Client(IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)))
            }
            address => Client(address),
        }
    }

    /// Whether it may be several that nobody tells apart: programs on this machine, or those behind
    /// a proxy that does not say for whom it asks.
    pub(super) fn may_be_many(self) -> bool {
        self.0.is_loopback()
    }
}

impl std::fmt::Display for Client {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// An address as proxies write it, some with a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|found| found.ip());
    text.parse().ok().or_else(with_port).or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_on_this_machine_is_believed_and_nobody_else() {
        let of = |peer: &str, named: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for name in named {
                headers.append("x-forwarded-for", axum::http::HeaderValue::from_static(name));
            }
            Client::of(peer.parse().unwrap(), &headers).to_string()
        };
        assert_eq!(of("127.0.0.1", &["192.0.2.1, 192.0.2.7"]), "192.0.2.7");
        assert_eq!(of("127.0.0.1", &["192.0.2.1", "192.0.2.7:4711"]), "192.0.2.7");
        assert_eq!(of("::1", &["[2001:db8::5:6:7:8]:80"]), of("::1", &["2001:db8::1"]));
        assert_eq!(of("127.0.0.1", &["what"]), "127.0.0.1");
        assert_eq!(of("192.0.2.9", &["192.0.2.1"]), "192.0.2.9");
        assert_eq!(of("2001:db8:0:1::9", &[]), of("2001:db8:0:1:ffff::", &[]));
        assert_ne!(of("2001:db8:0:1::9", &[]), of("2001:db8:0:2::9", &[]));
        assert!(Client::at("::1".parse().unwrap()).may_be_many());
    }
}
