"""What may be asked of the web, and what went wrong where it was: https only (plain http to this very machine)."""

import socket
import ssl
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten

RETRIED = (408, 425, 429, 500, 502, 503, 504)  # HTTP answers that may be better the next time
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def opener(host: str) -> urllib.request.OpenerDirector:
    """What asks a host; no proxy stands between us and this machine."""
    direct = [urllib.request.ProxyHandler({})] if host in THIS_MACHINE else []
    return urllib.request.build_opener(_Redirects, *direct)


def check_url(url: str) -> None:
    """BadInput for an address that is not to be asked."""
    try:
        parts = urlsplit(url)
        fine = parts.hostname and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in THIS_MACHINE))
    except ValueError:
        fine = False
    if not fine:
        raise BadInput(t("{url} is not an https address. Use one.", url=shorten(url, 200)))


def problem(error: Exception, url: str, name: str, *, answered: bool) -> str:
    """What went wrong in asking `url` for the file `name`, if another try may help; MissingArtifact if it cannot. `answered`: the host has
    answered before, so that it is there."""
    host = urlsplit(url).hostname or url
    reason = getattr(error, "reason", error)
    if isinstance(error, urllib.error.HTTPError):
        if error.code in RETRIED:
            return t("server: {code} {reason}", code=error.code, reason=error.reason)
        raise MissingArtifact(
            t("{host} answers {code} {reason} for {url}. Use another source.", host=host, code=error.code, reason=error.reason, url=url)
        ) from None
    if isinstance(reason, ssl.SSLCertVerificationError):
        raise MissingArtifact(
            t("Certificate of {host} refused ({reason}). Check date and network.", host=host, reason=reason.verify_message)
        ) from None
    if isinstance(reason, socket.gaierror) and not answered:
        raise MissingArtifact(t("{host} not found (for {name}). Check the network.", host=host, name=name)) from None
    return t("timeout") if isinstance(reason, TimeoutError) else f"{reason}" or type(reason).__name__


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if req.type == "https" and not newurl.lower().startswith("https:"):
            raise BadInput(t("{url} redirects to {other}, not https. Use another source.", url=req.full_url, other=shorten(newurl, 200)))
        check_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
