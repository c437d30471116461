"""Commands of mathematics in LaTeX, by what they are."""

from __future__ import annotations

from typing import Final


def _commands(text: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for name in text.split())


def _tokens(text: str) -> frozenset[str]:
    return frozenset(text.split())


def pairs_of(text: str) -> dict[str, str]:
    """`a>b c>d` as a table."""
    return {pair[: (cut := pair.index(">", 1))]: pair[cut + 1 :] for pair in text.split()}


GREEK: Final = _commands(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi"
    " pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma"
    " Upsilon Phi Psi Omega ell"
)
"""Commands that are letters, as variables are."""

SIZES: Final = _commands(
    "left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm"
)
SPACES: Final = _commands("quad qquad thinspace enspace , ; : ! >") | {"\\ ", "~"}
LAYOUT: Final = (
    SIZES
    | SPACES
    | _commands(
        "displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag"
        " allowbreak nobreak mathstrut strut noindent centering small footnotesize hfill"
        " normalsize scriptsize par break"
    )
    | {"&"}
)
"""What changes how an equation looks and not what it says."""

UPRIGHT: Final = _commands("mathrm mathsf mathtt")
"""Faces whose argument is part of one token."""
BINDERS: Final = _commands("sum prod int max min sup inf argmax argmin bigcup bigcap forall exists")
"""Signs whose subscript names what they run over."""
FACES: Final = _commands("mathbb mathcal mathfrak mathscr mathds")
"""Faces that make a letter a name of its own."""
ACCENTS: Final = FACES | _commands(
    "mathbf hat widehat tilde widetilde bar overline underline vec dot ddot check breve mathring"
)
"""Commands that take one argument, with braces or without."""
FINAL: Final = SPACES | _tokens(r". , ; : \\")
"""What may stand behind an equation and is no part of it."""
SPACED: Final = _tokens(r"+ - = < > \leq \geq \neq \approx \sim \propto \in \mid \to")
"""What is written with spaces around."""
SEPARATORS: Final = _tokens(
    r"= , ; : | \| < > \leq \geq \neq \approx \sim \propto \in \rightarrow \leftarrow \mapsto"
    r" \ldots"
)
"""What stands between sums."""
LISTING: Final = _tokens(r", ; | \| \neq")
"""Those of them whose sides may change places."""
MIRRORED: Final = pairs_of(
    r"=>= \neq>\neq \approx>\approx \sim>\sim \propto>\propto <>> >>< \leq>\geq \geq>\leq"
    r" \rightarrow>\leftarrow \leftarrow>\rightarrow"
)
"""Relations -> what they become where their sides change places."""
INTEGRALS: Final = _commands("int iint oint")
"""Signs whose variable follows a d."""
EVEN: Final = _commands("cos cosh sec")
"""Functions that do not care for the sign of their argument."""
BARS: Final = pairs_of(r"|>| \vert>| \lvert>| \rvert>| \|>\| \Vert>\| \lVert>\| \rVert>\|")
"""Signs of absolute values and norms -> the sign of their kind."""
FACING: Final = {"|": ("\ue000", "\ue001"), r"\|": ("\ue002", "\ue003")}
"""Bar -> how `with_bars` writes one that opens and one that closes."""
OPENING: Final = pairs_of(
    r"(>) [>] {>} \{>\} \langle>\rangle \lfloor>\rfloor \lceil>\rceil"
) | dict(FACING.values())
"""Opening bracket -> the closing one."""
CLOSING: Final = frozenset(OPENING.values())
TIMES: Final = _tokens(r"\cdot \times *")

KNOWN: Final = GREEK | LAYOUT | BINDERS | FACES | _commands(
    "varpi varrho varsigma hbar imath jmath Re Im wp aleph partial nabla infty emptyset varnothing"
    " frac dfrac tfrac cfrac sqrt binom coprod iint oint bigoplus bigotimes bigvee bigwedge"
    " biguplus bigsqcup lim limsup liminf arg log ln lg exp sin cos tan cot sec csc arcsin arccos"
    " arctan sinh cosh tanh coth det dim ker deg gcd hom Pr mod bmod pmod operatorname text textrm"
    " textit textbf textsf texttt textsc textnormal mbox mathrm mathsf mathtt mathbf mathit"
    " boldsymbol bm bold pmb rm bf it sf tt cal emph hat widehat tilde widetilde bar overline"
    " underline vec dot ddot breve check acute grave mathring overrightarrow overleftarrow"
    " overbrace underbrace overset underset stackrel substack langle rangle lfloor rfloor lceil"
    " rceil lbrace rbrace lbrack rbrack lvert rvert lVert rVert vert Vert cdot times div pm mp ast"
    " star circ bullet oplus ominus otimes oslash odot wedge vee land lor lnot neg cap cup setminus"
    " backslash sqcup sqcap uplus amalg dagger ddagger top bot intercal perp parallel leq geq le ge"
    " neq ne ll gg approx sim simeq cong equiv propto triangleq coloneqq doteq asymp in notin ni"
    " subset supset subseteq supseteq subsetneq mid nmid not models vdash prec succ preceq succeq"
    " to gets rightarrow leftarrow Rightarrow Leftarrow leftrightarrow Leftrightarrow mapsto"
    " longrightarrow longleftarrow Longrightarrow longmapsto uparrow downarrow implies iff"
    " hookrightarrow xrightarrow nexists angle triangle square Box blacksquare diamond prime colon"
    " dots ldots cdots vdots ddots dotsc dotsb hspace vspace hskip phantom vphantom hphantom smash"
    " mathop mathbin mathrel mathopen mathclose mathord mathbbm mathclap tag label"
)  # fmt: skip
"""Commands of LaTeX and of amsmath, amssymb, bm, mathtools and dsfont; others are an author's."""

ALIASES: Final = pairs_of(
    r"\dfrac>\frac \tfrac>\frac \cfrac>\frac \le>\leq \ge>\geq \ne>\neq \to>\rightarrow"
    r" \gets>\leftarrow \lbrace>\{ \rbrace>\} \lvert>| \rvert>| \vert>| \lVert>\| \rVert>\|"
    r" \Vert>\| \parallel>\| \dots>\ldots \cdots>\ldots \mid>| \lbrack>[ \rbrack>] \ast>*"
    r" \boldsymbol>\mathbf \bm>\mathbf \bold>\mathbf \colon>: \coloneqq>= \triangleq>= \equiv>="
    r" \doteq>= \land>\wedge \lor>\vee \lnot>\neg \intercal>\top"
)
"""Commands by the name under which they are compared."""
