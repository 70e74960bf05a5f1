"""Catalogues, translations, lists of terms and titles in parts, in vocabularies that nobody described."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import foxir
from engine.collection.profiles.profile import Profile
from engine.index.reader import open_reader
from foxir import Index

pytestmark = pytest.mark.long
LINE = "The miller and his brother carried the flour over the bridge before the first snow fell on the valley. "
BREADS = ("Rye loaf", "Oat cake", "Barley bun")


def index_of(folder: Path, text: str, name: str = "a.xml") -> Index:
    (folder / name).write_text(text, "utf-8")
    foxir.build_index(folder / name, into=folder / "x.foxir")
    return foxir.open_index(folder / "x.foxir")


def profile_in(folder: Path) -> Profile:
    return open_reader(folder / "x.foxir").profile_of(0)


def test_a_title_in_wrappers_heads_the_whole_record(tmp_path: Path) -> None:
    objects = "".join(
        f"<object><inv>A{number}</inv><about><titleWrap><titleSet><value>{bread}</value></titleSet></titleWrap>"
        f"<mould>{LINE}</mould></about><lent><note>{LINE * 3}given by lender{number}</note></lent></object>"
        for number, bread in enumerate(BREADS)
    )
    index = index_of(tmp_path, f"<museum>{objects}</museum>")

    assert profile_in(tmp_path).wrappers == {"about"}
    assert index.search("lender1")[0].breadcrumb == ["Oat cake"]


def test_the_name_of_a_journal_is_no_title_of_an_article(tmp_path: Path) -> None:
    article = (
        "<article><journal><title>Annals of baking</title></journal><title>Steam in ovens of brick</title>"
        f"<abs>{LINE * 2}</abs></article>"
    )
    index = index_of(tmp_path, f"<item><record>{article}<index><kw>{LINE}vapour</kw></index></record></item>")

    assert index.search("vapour")[0].breadcrumb == ["Steam in ovens of brick"]


def test_who_sends_a_message_is_no_title_of_it(tmp_path: Path) -> None:
    product = "<product><code>{0}</code><says><p>" + LINE * 3 + "{0}</p></says></product>"
    products = "".join(product.format(word) for word in ("sieve", "peel", "trough"))
    index = index_of(
        tmp_path,
        "<news><hdr><sender><senderName>Mill Press</senderName><desk>orders of the press in town</desk></sender></hdr>"
        f"{products}</news>",
    )

    assert index.search("trough")[0].breadcrumb == []


def test_titles_without_their_article_head_products_like_whole_ones(tmp_path: Path) -> None:
    whole = "<TitleText>Rye and oats</TitleText>"
    titles = (
        whole,
        *(f"<TitlePrefix>The</TitlePrefix><TitleWithoutPrefix>{each}</TitleWithoutPrefix>" for each in BREADS),
    )
    products = "".join(
        f"<Product><Ref>{number}</Ref><Detail><TitleElement><Level>01</Level>{title}</TitleElement></Detail>"
        f"<Says><p>{LINE * 3}copy{number}</p></Says></Product>"
        for number, title in enumerate(titles)
    )
    index = index_of(tmp_path, f"<Message>{products}</Message>")

    assert [index.search(word)[0].breadcrumb for word in ("copy0", "copy2")] == [["Rye and oats"], ["Oat cake"]]


def test_a_program_names_no_document_and_an_attribute_only_its_part(tmp_path: Path) -> None:
    entries = "".join(
        f"<entry name='{word}'><value>{word} is out.</value></entry>" for word in ("sieve", "peel", "mill")
    )
    texts = "".join(f"<entry name='{word}'><says>{LINE}{word}</says></entry>" for word in ("rye", "oats", "barley"))
    made_by = "<generator><product_name>Scribe</product_name></generator>"
    (tmp_path / "b.xml").write_text(f"<strings><setup name='version'><value>two</value></setup>{entries}</strings>")
    index = index_of(tmp_path, f"<catalogue>{made_by}<entries>{texts}</entries></catalogue>")
    foxir.build_index(tmp_path / "b.xml", into=tmp_path / "y.foxir")

    assert index.search("oats")[0].breadcrumb == ["oats"]
    assert foxir.open_index(tmp_path / "y.foxir").search("peel")[0].breadcrumb == ["peel"]


def test_a_text_and_its_translation_are_one_answer(tmp_path: Path) -> None:
    pairs = (
        ("Close the door before you start the mixer.", "Chiudere la porta prima di avviare il mixer."),
        ("The oven is too hot, please wait.", "Il forno è troppo caldo, attendere."),
        ("Add two spoons of malt and stir.", "Aggiungere due cucchiai di malto e mescolare."),
        ("Your loaf is ready now.", "Il pane è pronto adesso."),
    )
    units = "".join(f"<unit><from>{one}</from><into>{other}</into></unit>" for one, other in pairs)
    same = "".join(f"<tu><v><s>{one}</s></v><v><s>{other}</s></v></tu>" for one, other in pairs * 2)
    index = index_of(tmp_path, f"<strings><file>{units}</file><memory>{same}</memory></strings>")

    assert profile_in(tmp_path).records == {"unit", "tu"}
    assert {each.path for each in index.search("malto")} == {
        "/strings[1]/file[1]/unit[3]", "/strings[1]/memory[1]/tu[3]", "/strings[1]/memory[1]/tu[7]",
    }  # fmt: skip


def test_rows_of_a_document_that_is_nothing_else_are_records(tmp_path: Path) -> None:
    places = (("Mulino Vecchio", "mill"), ("Forno Rossi", "bakery"), ("Ponte Nuovo", "bridge"), ("Pane Nero", "bakery"))
    nodes = "".join(
        f"<node id='{number}'><tag k='name' v='{name}'/><tag k='kind' v='{kind}'/></node>"
        for number, (name, kind) in enumerate(places * 2)
    )
    index = index_of(tmp_path, f"<map>{nodes}</map>")

    assert index.search("bakery Forno")[0].path == "/map[1]/node[2]"


TRADE = (("peel", "A flat shovel."), ("lame", "A blade."), ("couche", "A cloth."), ("sponge", "A wet dough."))


@pytest.mark.parametrize(
    ("name", "page", "pair", "path"),
    [
        (
            "a.xml",
            "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader/><text><body><div><head>Trade</head>{0}"
            "<list>{1}</list>{0}</div></body></text></TEI>",
            "<label>{}</label><item>{}</item>",
            "/TEI[1]/text[1]/body[1]/div[1]/list[1]/item[2]",
        ),
        (
            "a.html",
            "<html><body><h1>Trade</h1>{0}<dl>{1}</dl>{0}</body></html>",
            "<dt>{}</dt><dd>{}</dd>",
            "/html[1]/body[1]/dl[1]/dd[2]",
        ),
    ],
)
def test_what_is_said_of_a_term_is_an_answer_below_the_term(
    tmp_path: Path, name: str, page: str, pair: str, path: str
) -> None:
    terms = "".join(pair.format(*each) for each in TRADE)
    index = index_of(tmp_path, page.format(f"<p>{LINE * 6}</p>", terms), name)
    first = index.search("blade")[0]

    assert (first.path, first.breadcrumb) == (path, ["Trade", "lame"])


def test_words_end_where_parts_of_a_title_touch(tmp_path: Path) -> None:
    songs = (("Im Mai", "an electronic copy"), ("Abendlied", "a facsimile of it"), ("Morgen", "as it was sung"))
    works = "".join(f"<work><title>{one}<part>{two}</part></title><p>{LINE}{one}</p></work>" for one, two in songs)
    menu = f"<work><title>Choose<key>Oven</key><key>Preheat</key></title><p>{LINE}ember</p></work>"
    index = index_of(tmp_path, f"<songs>{works}{menu}</songs>")

    assert profile_in(tmp_path).breaks == {"part", "key"}
    assert index.element("a", "/songs[1]/work[1]/p[1]").breadcrumb == ["Im Mai an electronic copy"]
    assert index.search("ember")[0].breadcrumb == ["Choose Oven Preheat"]


def test_keys_and_values_in_turn_are_records_within_others(tmp_path: Path) -> None:
    songs = [(f"Song {number} of the mill", f"Band {number}", f"Album {number}") for number in range(30)]
    tracks = "".join(
        f"<key>{number}</key><dict><key>Id</key><integer>{number}</integer><key>Name</key><string>{name}</string>"
        f"<key>By</key><string>{band}</string><key>On</key><string>{album}</string></dict>"
        for number, (name, band, album) in enumerate(songs)
    )
    text = f"<plist><dict><key>Version</key><integer>1</integer><key>Tracks</key><dict>{tracks}</dict></dict></plist>"
    index = index_of(tmp_path, text)

    assert index.search("album 17")[0].path == "/plist[1]/dict[1]/dict[1]/dict[18]"


def test_headings_in_wrappers_of_their_own_head_no_more_than_these(tmp_path: Path) -> None:
    parts = "".join(
        f"<head><ttl>{word}</ttl></head><sec><no>{word[0]}</no><p>{LINE}{word}</p></sec>" for word in BREADS
    )
    body = f"<body>{parts}</body>"
    index = index_of(tmp_path, f"<law>{body * 3}</law>")

    assert not profile_in(tmp_path).wrappers
    assert index.element("a", "/law[1]/body[1]/sec[3]/p[1]").breadcrumb[:1] != ["Rye loaf"]


def test_records_of_many_tags_take_no_time_that_grows_with_the_square_of_these(tmp_path: Path) -> None:
    def seconds(n_tags: int) -> float:
        record = "<r{0}><a{0}>rye {1}</a{0}><b{0}>oat loaf {1}</b{0}><c{0}>bun {1}</c{0}></r{0}>"
        records = "".join(record.format(number % n_tags, number) for number in range(4 * n_tags))
        folder = tmp_path / str(n_tags)
        folder.mkdir()
        began = time.process_time()
        index_of(folder, f"<all>{records}</all>")
        return time.process_time() - began

    seconds(1)
    assert seconds(6_000) < 6 * seconds(1_500)


def test_items_of_a_list_are_no_titles_whatever_their_name(tmp_path: Path) -> None:
    subjects = "".join(f"<subjectHeading>{subject}</subjectHeading>" for subject in ("Ovens", "Steam", "Yeast"))
    record = "<rec><name>{0}</name><abs>" + LINE * 2 + "</abs><subjects>" + subjects + "</subjects></rec>"
    index_of(tmp_path, f"<recs>{''.join(map(record.format, BREADS))}</recs>")

    assert profile_in(tmp_path).titles == {"name"}


def test_a_tag_named_title_of_something_is_one(tmp_path: Path) -> None:
    part = "<part><no>{0}</no><title-of-work>{0}</title-of-work><body><p>" + LINE * 2 + "made of {0}</p></body></part>"
    index = index_of(tmp_path, f"<all>{''.join(map(part.format, BREADS))}</all>")

    assert "title-of-work" in profile_in(tmp_path).titles
    assert index.search("barley")[0].breadcrumb[-1] == "Barley bun"


RUN = "<blk><run>The {0} of </run><mark><run>table {1}</run></mark><run>, which the </run><run>mil</run><run>ler </run>"


def test_runs_of_which_a_line_consists_are_inline(tmp_path: Path) -> None:
    blocks = (RUN.format(word, number) + "<run>baked.</run></blk>" for number, word in enumerate(BREADS * 3))
    index = index_of(tmp_path, f"<doc><flow>{''.join(blocks)}</flow></doc>")

    assert profile_in(tmp_path).inline == {"run", "mark"}
    assert index.search("Oat cake miller")[0].path == "/doc[1]/flow[1]/blk[2]"


def test_fields_side_by_side_are_no_runs(tmp_path: Path) -> None:
    rows = "".join(
        f"<entry><bread>{bread} </bread><weight>{n} lb</weight><mill>of Ely.</mill></entry>"
        for n, bread in enumerate(BREADS * 3)
    )
    sentences = f"<says>{''.join(f'<s>{LINE}</s>' for _ in range(6))}</says>"
    index_of(tmp_path, f"<doc><list>{rows}</list>{sentences}</doc>")

    assert not profile_in(tmp_path).inline


def test_rules_in_a_style_sheet_are_no_text(tmp_path: Path) -> None:
    rules = "".join(f"<rule>.{name} {{ colour: {name}; }}</rule>" for name in ("red", "green", "blue"))
    parts = "".join(f"<part><title>{bread}</title><says>{LINE}</says></part>" for bread in BREADS)
    index = index_of(
        tmp_path,
        f"<leaflet><styles>{rules}</styles>{parts}<styles><note>Set by hand in the town.</note></styles></leaflet>",
    )

    assert profile_in(tmp_path).skip == {"rule"}
    assert not len(index.search("colour"))
    assert index.search("miller")[0].breadcrumb == ["Rye loaf"]


def test_paragraphs_after_a_section_are_no_runs(tmp_path: Path) -> None:
    section = "<sec><title>{0}</title>\n<sec><title>Use</title>\n</sec>" + f"<p>{LINE.strip()}</p>\n" * 3 + "</sec>"
    index = index_of(tmp_path, f"<book>{''.join(map(section.format, BREADS * 3))}</book>")

    assert not profile_in(tmp_path).inline
    assert index.search("miller")[0].path == "/book[1]/sec[1]/p[1]"
