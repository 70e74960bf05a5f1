"""Text in attributes and in escaped markup, learned from use; what is not text stays where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.collection.profiles.profile_files import profile_text
from engine.index.reader import open_reader
from foxir.searching.index_contents import describe_markup

UI = """<ui><screen id="s1"><entry key="menu.open" label="Open chart" text="Choose the chart to be opened."/>
<entry key="menu.close" label="Close" text="Close the chart without saving."/></screen><screen id="s2">
<entry key="quit" label="Quit" text="End the program."/><entry key="l" label="Lights" text="Shows the lights."/>
</screen></ui>"""
MESSAGES = """<protocol><message id="0" name="HEARTBEAT" kind="a"><description>Shows that a system is alive.
</description></message><message id="1" name="SYS_STATE" kind="a"><description>The general state.</description>
</message><message id="2" name="BATTERY" kind="b"><description>The charge left.</description></message></protocol>"""
POSTS = """<posts><row Id="1" Title="How do I trim a wick?" Body="&lt;p&gt;It burns on &lt;b&gt;o&lt;/b&gt;ne side.
&lt;/p&gt;"/><row Id="2" Title="Whale oil" Body="&lt;p&gt;Is it clean?&lt;/p&gt;&lt;p&gt;Or not.&lt;/p&gt;"/></posts>"""
WORDS = """The keeper, who was old and tired, slept in a chair beside his lamp. A storm came over the bay before dawn,
and no ship had seen any light for hours."""
SCAN = "<scan><ln>{}</ln></scan>".format(
    "".join(f'<tok s="{word}" x="{n}"/>' for n, word in enumerate(WORDS.split()))
).replace(' s="', ' CONTENT="')
PLANTS = sorted({word.strip(",.") for word in WORDS.split()})
BEDS = zip(PLANTS * 4, [*PLANTS[7:], *PLANTS] * 4, strict=False)
PLAN = "<plan>{}</plan>".format("".join(f'<bed>Sow <plant Name="{a}"/> by <plant Name="{b}"/>.</bed>' for a, b in BEDS))
FRAMES = (
    "<page><p>Lamps.</p>"
    + 3 * ("<table frame='top bottom'/><table frame='all'/><table frame='left right'/><table frame='no sides'/>")
    + "</page>"
)
GRAPH = """<graph><node class="wide blue" refs="a b" style="fill: red" path="/usr/lib/x" size="12 px" id="a"/>
<node class="wide blue" refs="b a" style="fill: blue" path="/usr/lib/y" size="13 px" id="b"/></graph>"""
LOG = """<notes><note><subject>Oil</subject><html>&lt;p&gt;The &lt;b&gt;lan&lt;/b&gt;tern needs &amp;amp; gets oil.
&lt;/p&gt;</html></note><note><subject>Wick</subject>
<html><![CDATA[<h2>Trimming</h2><p>Trim it &amp; clean the glass&nbsp;now.
<br>Twice.</p>]]></html></note></notes>"""
FLAGS = "<cup>{}</cup>".format("".join(f'<tie><img alt="{each}"/><side>{each}</side></tie>' for each in PLANTS))
GEAR = """<shed label="Ropes and nets">{}</shed>""".format(
    "".join(
        f'<gear called="{name}" kept="{kept}"><part of="use">{use}</part><part of="state">{state}</part></gear>'
        for name, kept, use, state in (
            (
                "Eel trap",
                "loft",
                "Set below the weir in August, with its mouth against the stream.",
                "Two withies broken.",
            ),
            (
                "Herring net",
                "loft",
                "Shot at dusk from the stern, and hauled before the gulls were up.",
                "Mended in 1931.",
            ),
            ("Cork line", "yard", "Held the head of the long seine at the surface of the bay.", "Tarred each spring."),
        )
    )
)
LISTINGS = """<manual><part><p>Write &lt;b&gt; for bold words in text.</p><code>&lt;b&gt;bold&lt;/b&gt;</code></part>
<part><p>Two signs are needed for an end.</p><config>&lt;job&gt;&lt;name&gt;x&lt;/name&gt;&lt;/job&gt;</config></part>
</manual>"""


@pytest.mark.parametrize(
    ("document", "attributes"),
    [
        (UI, {"entry/@label", "entry/@text"}),
        (MESSAGES, {"message/@name"}),
        (POSTS, {"row/@Title", "row/@Body"}),
        (SCAN, {"tok/@CONTENT"}),
        (PLAN, {"plant/@Name"}),
        (GRAPH, set()),
        (FRAMES, set()),
        (FLAGS, set()),
        (FLAGS.replace('alt="', 'alt="The arms of '), {"img/@alt"}),
        (LOG, set()),
    ],
    ids=["labels", "names", "posts", "words", "in lines", "codes", "frames", "flags", "images", "escaped"],
)
def test_attributes_hold_text_where_elements_have_none(tmp_path: Path, document: str, attributes: set[str]) -> None:
    (tmp_path / "a.xml").write_text(document)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    found = open_reader(tmp_path / "x.foxir").profile_of(0)
    assert found.text_attributes | found.title_attributes == attributes
    assert found.title_attributes == attributes & {"message/@name"}


@pytest.mark.parametrize(
    ("document", "query", "path", "text"),
    [
        (UI, "lights", "/ui[1]/screen[2]/entry[2]", "Lights Shows the lights."),
        (MESSAGES, "battery", "/protocol[1]/message[3]", "BATTERY The charge left."),
        (POSTS, "trim wick", "/posts[1]/row[1]", "How do I trim a wick? It burns on one side. "),
        (LOG, "lantern", "/notes[1]/note[1]", "OilThe lantern needs & gets oil."),
        (LOG, "trim glass", "/notes[1]/note[2]", "WickTrimmingTrim it & clean the glass\u00a0now.Twice."),
    ],
)
def test_text_in_attributes_and_escaped_markup_is_found_and_shown(
    tmp_path: Path, document: str, query: str, path: str, text: str
) -> None:
    (tmp_path / "a.xml").write_text(document)
    report = foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    answer = foxir.open_index(tmp_path / "x.foxir").search(query)[0]

    assert answer.path == path
    assert answer.text.replace("\n", "") == text
    assert [each.code for each in report.notices if not isinstance(each, str)] == ["held_text"]


def test_listings_of_markup_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(LISTINGS)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert not open_reader(tmp_path / "x.foxir").profile_of(0).escaped
    assert "<b>bold</b>" in foxir.open_index(tmp_path / "x.foxir").text("a")


def test_a_profile_overrules_what_is_learned(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(UI)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    learned = profile_text(open_reader(tmp_path / "x.foxir").profile_of(0))
    (tmp_path / "mine.toml").write_text(learned.replace('"entry/@label", ', ""))
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "y.foxir", profile=tmp_path / "mine.toml")
    index = foxir.open_index(tmp_path / "y.foxir")

    assert '"entry/@text"' in learned
    assert index.search("shows")[0].text == "Shows the lights."


def test_one_attribute_of_elements_with_parts_is_their_title_and_heading(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(GEAR)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index, reader = foxir.open_index(tmp_path / "x.foxir"), open_reader(tmp_path / "x.foxir")
    answer = index.search("state of the herring net")[0]
    (markup,) = describe_markup(reader)

    assert reader.profile_of(0).title_attributes == {"shed/@label", "gear/@called"}
    assert {each["tag"]: each["roles"] for each in markup["tags"]}["gear/@called"] == ["title"]
    assert (answer.path, answer.breadcrumb) == ("/shed[1]/gear[2]", ["Ropes and nets", "Herring net"])
    assert index.search("cork line")[0].path == "/shed[1]/gear[3]"
    assert not [each.path for each in index.search("eel trap", min_words=0) if "attribute-title" in each.path]

    learned = profile_text(reader.profile_of(0))
    (tmp_path / "mine.toml").write_text(learned.replace('"gear/@called", ', ""))
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "y.foxir", profile=tmp_path / "mine.toml")
    assert "Herring" not in foxir.open_index(tmp_path / "y.foxir").text("a")


def test_escaped_markup_may_nest_no_deeper_than_other_markup(tmp_path: Path) -> None:
    deep = "&lt;div&gt;" * 1500 + "wick" + "&lt;/div&gt;" * 1500
    (tmp_path / "a.xml").write_text(f"<log><note><t>Oil</t><html>{deep}</html></note></log>")
    report = foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert [("max_depth" in each.reason, each.file.endswith("a.xml")) for each in report.skipped] == [(True, True)]


LINES = "<page>{}</page>".format("".join(f"<l>{each}</l>" for each in ("The lan-", "tern of Saint-", "Malo is", "lit")))


def test_words_divided_at_the_ends_of_lines_are_joined_where_a_profile_names_lines(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(LINES)
    (tmp_path / "p.toml").write_text('lines = ["l"]')
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", profile=tmp_path / "p.toml")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert index.text("a") == "The lantern\nof Saint-\nMalo is\nlit\n"
    assert [len(index.search(query)) > 0 for query in ("lantern", "tern")] == [True, False]


def test_long_values_are_looked_at_in_a_short_time(tmp_path: Path) -> None:
    values = (
        "Lamps, (Oil) Ltd. - AMEND NO. 2 TO SUPPLY AGREEMENTS OF LAMPS" * 9,
        "a" * 9999 + "!x",
        "a.a" * 3000 + "#",
    )
    (tmp_path / "a.xml").write_text("<d>" + "".join(f'<e name="{value}"/>' for value in values) + "</d>")

    assert foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir").seconds < 20


def test_titles_of_long_sections_stay_attributes(tmp_path: Path) -> None:
    text = "<s>" + "The keeper trimmed the wick at dusk. " * 10 + "</s>"
    sections = "".join(f'<sec title="On lamp {n} and oil">{text}{text}</sec>' for n in ("one", "two", "three"))
    (tmp_path / "a.xml").write_text(f"<paper>{sections}</paper>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert not open_reader(tmp_path / "x.foxir").profile_of(0).text_attributes


@pytest.mark.long
def test_words_of_a_scan_without_signs_are_text_where_nothing_else_is(tmp_path: Path) -> None:
    lines = (
        "the miller shall keep the weir in good repair",
        "and let no eels be taken before Michaelmas by night nor sold at market",
    )
    words = [f'<tok x="{place}" form="{word}"/>' for place, word in enumerate(" ".join(lines).split())]
    (tmp_path / "a.xml").write_text(f"<scan><ln>{''.join(words[:9])}</ln><ln>{''.join(words[9:])}</ln></scan>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert open_reader(tmp_path / "x.foxir").profile_of(0).text_attributes == {"tok/@form"}


@pytest.mark.long
def test_a_title_is_in_an_attribute_though_some_elements_have_text_of_their_own(tmp_path: Path) -> None:
    names = ("port", "host", "timeout")
    parts = "".join(f"<key name='{name}'><p>Sets the {name} of the pump.</p></key>" for name in names)
    (tmp_path / "a.xml").write_text(f"<keys>{parts}<key name='valve'>Opens the <c>inner</c> valve.</key></keys>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert open_reader(tmp_path / "x.foxir").profile_of(0).title_attributes == {"key/@name"}


def test_a_name_in_an_attribute_named_after_its_tag_is_a_title(tmp_path: Path) -> None:
    tools = (("Scraper", "Takes the dough off the trough."), ("Docker", "Pricks the loaf."), ("Peel", "Lifts it out."))
    markup = "".join(
        f'<tool toolName="{name}"><kind>iron</kind><docs><p>{text} Each morning it is washed.</p></docs></tool>'
        for name, text in tools
    )
    (tmp_path / "a.xml").write_text(f"<shed><tools>{markup}</tools></shed>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert open_reader(tmp_path / "x.foxir").profile_of(0).title_attributes == {"tool/@toolName"}
    assert foxir.open_index(tmp_path / "x.foxir").search("pricks")[0].breadcrumb == ["Docker"]
