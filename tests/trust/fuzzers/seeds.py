"""What fuzzing begins with: files and lines of every language that foxir reads, and the pieces they are made of."""

from __future__ import annotations

from engine.index.sealed_file import FORMAT
from tests.trust.format_sample import FORMATS

FIXTURES = FORMATS.parent
SAMPLE = FORMATS / f"format_{FORMAT}" / "index"


def files(*patterns: str) -> list[bytes]:
    """Return the contents of fixtures, in the order of their names."""
    return [path.read_bytes() for pattern in patterns for path in sorted(FIXTURES.glob(pattern)) if path.is_file()]


FOL = b"1001 Q0 10 300 1000 100 100:200 500:100\n1001 Q0 12 0 800\n\n1002 Q0 20 29 500 10 10:29\n"
JUDGED = [
    FOL,
    b"<assessments topic='192'>\n <file file='cg/1998/g1016'>\n  <path path='/article[1]' exhaustiveness='3' "
    b"specificity='1'/>\n  <path path='/article[1]/bdy[1]' E='2' S='3'/>\n </file>\n</assessments>\n",
    b'<assessments topic="31">\n <file file="g1016">\n  <path path="/article[1]" relevance="3" coverage="L"/>\n'
    b'  <path path="/article[1]/p[2]" relevance="1" coverage="S"/>\n </file>\n</assessments>\n',
    b'<assessments pool="7" topic="203" version="2">\n <file collection="ieee" name="co/2000/r7108">\n  <element '
    b'path="/article[1]" E="1" size="13,556" rsize="5,494"/>\n  <element path="/article[1]/st[1]" exhaustivity="?" '
    b'specificity="0.47"/>\n <best-entry-point path="/article[1]/p[2]" offset="12"/>\n  <passage start="/article[1]'
    b'/p[2]/text()[1].12" end="/article[1]/p[3]" size="345"/>\n  <passage offset="3" length="9"/></file>\n'
    b"</assessments>\n",
]
TEXT_RUNS = [
    b"99 Q0 a 1 0.9 me\n99 Q0 b 2 0.8 me\n",
    b"99 Q0 a 1 0.9 me /article[1]/p[2]\n",
    b"99 Q0 a 1 0.9 me 17\n",
    b"99 Q0 a 1 0.9 me 17 80\n99 Q0 b 2 1e-3 me X X\n",
    b"99 Q0 a 1 0.9 me /article[1]/p[2] /article[1]/p[3]\n",
]
SETTINGS = [
    b'approach = "hybrid"\nsimilarity = "okapi"\nk1 = 1.2\nb = 0.75\nk3 = 7\nmatches = 3\narticles = 500\n',
    b'similarity = "dirichlet"\nmu = 2000\nanswers = "nCRE"\nheuristic = "TPF"\nper_article = "all"\nlimit = 10\n',
    b'similarity = "pcosine"\ns = 0.2\nquery_norm = true\nreading = "VV"\ntags = "classes"\noverlap = "remove"\n',
    b'preset = "tuned"\nmatch = "and"\n[parameters]\nlength = "tokens"\nweight_bits = 7\n',
]
PROFILES = [
    b'inline = ["b", "it"]\nskip = ["note"]\ntitles = ["title"]\nattributes = ["id"]\n\n[classes]\nsec = ["ss1"]\n',
    b'roots = ["article"]\nchildren = ["body"]\nnamespaces = ["http://example.org/ns"]\n',
]
GRIDS = [
    b"k1 = [0.9, 1.2]\nb = [0.2, 0.75]\n",
    b"[fixed]\nlimit = 9\n[[grid]]\nk1 = {from = 0.4, to = 2.0, step = 0.4}\n",
]
OPTIONS = [b"max_text=128M", b"max_depth=50", b"P@10", b"gP[5]", b"nxCG@25(quant=strict)", b"D[BB-ABF-BAA]", b"okapi"]
QUERIES = [
    b"//article[about(.//fm, 'query optimization')]//sec[about(., join) and .//yr >= 1998]",
    b'//(sec|p)[not(about(., -fog)) or .//@id = "x"]/title',
    b'//*[about(., +jedi "the force" src:/a.jpg)]//@no',
    b"/article[@kind='sea lamp' and .//yr < 2000][about(.,tide)]//p",
]
WORDS = [b'+jedi "the force" -sith', b"src:/images/yoda.jpg sea-tide", "“light house” été 𝒜".encode()]
PLACES = [b"/article[1]/p[1]", b"/article[1]/p[1]/text()[1].12", b"/article[1]/p[1].3", b"/article[1]/p[1]/b[1]"]
DIGITS = [b"9" * 20, b"0" * 30 + b"1", b"1" * 5000, b"-1", b"1e400", b"nan", b"1_0", "١٢".encode(), "²".encode()]
MARKUP = [
    *(
        *(b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?x ", b"?>", b"<a>", b"</a>", b"<x:a/>", b"/>", b"'"),
        *(b'"', b"xmlns='u'"),
    ),
    *(b"&amp;", b"&lt;", b"&x;", b"%p;", b"&#0;", b"&#x110000;", b"&#xd800;", b"\0", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b"<!DOCTYPE a [", b"<!ENTITY x 'y'>", b"<!ENTITY % p SYSTEM 'file:///etc/hostname'>", b"]>"),
    *(b"<?xml version='1.0' encoding='utf-16'?>", b"<?xml version='1.0' encoding='IBM037'?>"),
]
TOML = [b"[[", b"]]", b"[", b"]", b'"""', b"'''", b"{", b"}", b"1979-05-27", b"inf", b"0x", b"\\u0000", b" = ", b"true"]
