// Modifiers that browsers understand and DNS cannot: the kind of a request, its page, and what to do with its
// content. A rule with one applies only to some requests to a name, so it is not a rule for DNS.

const WORDS = `
  third-party 3p first-party 1p strict1p strict3p strict-first-party strict-third-party domain from to app
  method header match-case sitekey ipaddress script image stylesheet css object object-subrequest
  xmlhttprequest xhr subdocument frame ping beacon websocket webrtc font media other background popup
  popunder inline-script inline-font webbundle csp redirect redirect-rule rewrite removeparam queryprune
  urltransform uritransform urlskip cookie replace removeheader permissions stealth genericblock
  generichide ghide elemhide ehide specifichide shide jsinject urlblock content extension network cname
  mp4 empty jsonprune xmlprune hls referrerpolicy donottrack collapse dtd fetch reason mv2 top path url
  safari requestheader responseheader
`;

const BROWSER_MODIFIERS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** The name in lower case, with or without the `~` of its opposite. */
export function isBrowserModifier(name: string): boolean {
  return name.startsWith('~') || BROWSER_MODIFIERS.has(name);
}
