"""Canonical markup is escaped with every version of libxml2."""

from __future__ import annotations

from lxml import etree

from engine.collection.markup.canonical import canonical, escape_namespaces


def test_namespaces_are_escaped() -> None:
    written = b'<a xmlns:m="urn:m?a=1&amp;b=2"><m:b xmlns="urn:n?&amp;amp;" c="&amp;">xmlns="&amp;"</m:b></a>'
    by_an_older_version = b'<a xmlns:m="urn:m?a=1&b=2"><m:b xmlns="urn:n?&amp;" c="&amp;">xmlns="&amp;"</m:b></a>'

    assert canonical(etree.fromstring(written)) == written
    assert escape_namespaces(by_an_older_version) == written
