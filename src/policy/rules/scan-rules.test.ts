// The meaning of each line of a list: one table per format, with a line and its rules. The tables of skipped
// and invalid lines have the reason instead.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loadPatternCheck } from './pattern-check.ts';
import { Invalid, Skip } from './reasons.ts';
import { scanText } from '#testing/policy/scan';

const check = await loadPatternCheck();

const label63 = 'a'.repeat(63);
const name253 = `${label63}.${label63}.${label63}.${'a'.repeat(57)}.com`;

const RULES: readonly (readonly [line: string, ...rules: string[]])[] = [
  // hosts
  ['0.0.0.0 a.example', 'block exact a.example'],
  [
    '127.0.0.1\ta.example b.example\tc.example',
    'block exact a.example',
    'block exact b.example',
    'block exact c.example',
  ],
  ['  0.0.0.0   A.Example.  # why', 'block exact a.example'],
  ['0.0.0.0 a.example#why', 'block exact a.example'],
  [':: a.example', 'block exact a.example'],
  ['0 a.example', 'block exact a.example'],
  ['::1 a.example', 'block exact a.example'],
  ['fe80::1%lo0 a.example', 'block exact a.example'],
  ['192.168.1.1 a.example', 'block exact a.example'],
  ['0.0.0.0 0.0.0.0'],
  ['0.0.0.0 0.0.0.0.beeg.example', 'block exact 0.0.0.0.beeg.example'],
  ['127.0.0.1 localhost localhost.localdomain local'],
  ['255.255.255.255 broadcasthost'],
  ['ff02::1 ip6-allnodes'],
  ['::1 ip6-localhost ip6-loopback LOCALHOST.'],
  ['0.0.0.0 münchen.example', 'block exact xn--mnchen-3ya.example'],
  ['0.0.0.0 localdomain.localhosts', 'block exact localdomain.localhosts'],
  // domains
  ['a.example', 'block exact a.example'],
  ['A.EXAMPLE.', 'block exact a.example'],
  ['\ta.example\t \r', 'block exact a.example'],
  ['a.example # why', 'block exact a.example'],
  ['a.example #why', 'block exact a.example'],
  ['a.example#why', 'block exact a.example'],
  ['a.example ; why', 'block exact a.example'],
  ['_dmarc.a-b.example', 'block exact _dmarc.a-b.example'],
  ['a-.-b.example', 'block exact a-.-b.example'],
  ['1.example', 'block exact 1.example'],
  ['0x7f.1a', 'block exact 0x7f.1a'],
  ['xn--a.example', 'block exact xn--a.example'],
  ['bücher.example', 'block exact xn--bcher-kva.example'],
  ['例え.テスト', 'block exact xn--r8jz45g.xn--zckzah'],
  ['bücher.example.', 'block exact xn--bcher-kva.example'],
  ['a.example. ; why', 'block exact a.example'],
  ['BÜCHER.example # Bücher', 'block exact xn--bcher-kva.example'],
  [name253, `block exact ${name253}`],
  [`${name253}.`, `block exact ${name253}`],
  // wildcards
  ['*.a.example', 'block below a.example'],
  ['*.zip', 'block below zip'],
  ['*.a.example # why', 'block below a.example'],
  ['*.bücher.example', 'block below xn--bcher-kva.example'],
  // adblock
  ['||a.example^', 'block below a.example'],
  ['||A.example^|', 'block below a.example'],
  ['||a.example', 'block below a.example'],
  ['||a.example^*', 'block below a.example'],
  ['||zip^', 'block below zip'],
  ['||a.example^ # why', 'block below a.example'],
  ['||a.example^ ! why', 'block below a.example'],
  ['||bücher.example^', 'block below xn--bcher-kva.example'],
  ['@@||a.example^', 'allow below a.example'],
  ['@@||a.example^|', 'allow below a.example'],
  ['@@||a.example', 'allow below a.example'],
  ['@@|a.example^|', 'allow exact a.example'],
  ['|a.example^', 'block exact a.example'],
  ['|a.example|', 'block exact a.example'],
  ['://a.example^', 'block exact a.example'],
  ['@@a.example', 'allow exact a.example'],
  ['||*.a.example^', 'block onlyBelow a.example'],
  ['.a.example^', 'block onlyBelow a.example'],
  ['*.a.example^', 'block onlyBelow a.example'],
  ['||1.2.3.4^', 'block address 1.2.3.4/32'],
  ['||2001:db8::1^', 'block address 32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1/128'],
  ['||a.*.example^', 'block pattern (?:^|\\.)a\\..*\\.example$'],
  ['@@||cdn.us*.example^|', 'allow pattern (?:^|\\.)cdn\\.us.*\\.example$'],
  ['||ads.', 'block pattern (?:^|\\.)ads\\.'],
  ['|ads.', 'block pattern ^ads\\.'],
  ['||ads*', 'block pattern (?:^|\\.)ads'],
  ['-ads.example^', 'block pattern -ads\\.example$'],
  ['ads.example^', 'block pattern ads\\.example$'],
  ['||a.example^$important', 'block below a.example important'],
  ['@@||a.example^$important', 'allow below a.example important'],
  ['a.example$important', 'block exact a.example important'],
  ['||a.example^$all', 'block below a.example'],
  ['||a.example^$document,important', 'block below a.example important'],
  ['||a.example^$badfilter', 'block below a.example badfilter'],
  ['||a.example^$important,badfilter', 'block below a.example important badfilter'],
  ['||a.example^$dnstype=A|aaaa', 'block below a.example types=+1+28'],
  ['||a.example^$dnstype=~HTTPS', 'block below a.example types=-65'],
  [
    '||a.example^$denyallow=x.a.example|y.a.example',
    'block below a.example denyallow=x.a.example,y.a.example',
  ],
  ['*$denyallow=com|net', 'block pattern . denyallow=com,net'],
  ['||a.example^$client=192.0.2.0/24|~192.0.2.7', 'block below a.example clients=+192.0.2.0/24-192.0.2.7'],
  ["||a.example^$client='Frank\\'s, laptop'|b", "block below a.example clients=+frank's, laptop+b"],
  ['||a.example^$client="x\\|y"', 'block below a.example clients=+x|y'],
  ['||a.example^$ctag=device_pc|~user_child', 'block below a.example tags=+device_pc-user_child'],
  ['||a.example^$dnsrewrite=192.0.2.1', 'block below a.example form=192.0.2.1'],
  ['|a.example^$dnsrewrite=0.0.0.0', 'block exact a.example form=0.0.0.0'],
  ['||a.example^$dnsrewrite=b.example', 'block below a.example form=cname:b.example'],
  ['||a.example^$dnsrewrite=NXDOMAIN', 'block below a.example form=nx'],
  ['||a.example^$dnsrewrite=REFUSED;;', 'block below a.example form=refused'],
  ['||a.example^$dnsrewrite=NOERROR', 'block below a.example form=nodata'],
  ['||a.example^$dnsrewrite=NOERROR;;', 'block below a.example form=nodata'],
  ['||a.example^$dnsrewrite=NOERROR;A;192.0.2.1', 'block below a.example form=192.0.2.1'],
  ['||a.example^$dnsrewrite=NOERROR;CNAME;b.example', 'block below a.example form=cname:b.example'],
  // regular expressions
  ['/^ad[0-9]+\\./', 'block pattern ^ad[0-9]+\\.'],
  ['@@/^good\\./', 'allow pattern ^good\\.'],
  ['/^ad[$]/$important', 'block pattern ^ad[$] important'],
  ['/^ad\\./$client=10.0.0.0/8', 'block pattern ^ad\\. clients=+10.0.0.0/8'],
  ['/.*/$dnstype=HTTPS', 'block pattern .* types=+65'],
  // dnsmasq
  ['address=/a.example/', 'block below a.example form=nx'],
  ['address=/a.example/0.0.0.0', 'block below a.example'],
  ['address=/a.example/127.0.0.1', 'block below a.example'],
  ['address=/a.example/::', 'block below a.example'],
  ['address=/a.example/#', 'block below a.example form=null'],
  ['address=/a.example/192.0.2.1', 'block below a.example form=192.0.2.1'],
  ['address=/a.example/b.example/', 'block below a.example form=nx', 'block below b.example form=nx'],
  ['address=/.a.example/ # why', 'block below a.example form=nx'],
  ['address=/*.a.example/', 'block onlyBelow a.example form=nx'],
  ['address=/bücher.example/', 'block below xn--bcher-kva.example form=nx'],
  ['server=/a.example/', 'block below a.example form=nx'],
  ['server=/a.example/#', 'allow below a.example'],
  ['local=/zip/', 'block below zip form=nx'],
  ['--local=/a.example/', 'block below a.example form=nx'],
  // unbound
  ['local-zone: "a.example" always_nxdomain', 'block below a.example form=nx'],
  ['  local-zone: "a.example." static', 'block below a.example form=nx'],
  ["local-zone: 'a.example' always_null # why", 'block below a.example form=null'],
  ['local-zone: a.example refuse', 'block below a.example form=refused'],
  ['local-zone: "a.example" "deny"', 'block below a.example form=drop'],
  ['local-zone: "a.example" always_nodata', 'block below a.example form=nodata'],
  ['local-zone: "a.example" always_transparent', 'allow below a.example'],
  ['local-zone: "a.example" redirect', 'block below a.example'],
  ['local-data: "a.example A 0.0.0.0"', 'block exact a.example'],
  [
    "local-data: 'a.example. 60 IN AAAA 2001:db8::1'",
    'block exact a.example form=32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1',
  ],
  // RPZ
  ['a.example CNAME .', 'block exact a.example form=nx'],
  ['*.a.example CNAME .', 'block onlyBelow a.example form=nx'],
  ['a.example\tIN\tCNAME\t. ; why', 'block exact a.example form=nx'],
  ['a.example 300 IN CNAME *.', 'block exact a.example form=nodata'],
  ['a.example cname rpz-passthru.', 'allow exact a.example'],
  ['a.example CNAME rpz-drop.', 'block exact a.example form=drop'],
  ['a.example CNAME a.example.', 'allow exact a.example'],
  ['a.example CNAME walled.example.', 'block exact a.example form=cname:walled.example'],
  ['a.example A 192.0.2.1', 'block exact a.example form=192.0.2.1'],
  ['24.0.2.0.192.rpz-ip CNAME .', 'block address 192.0.2.0/24 form=nx'],
  ['32.zz.db8.2001.rpz-ip CNAME .', 'block address 32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.0/32 form=nx'],
];

describe('a line that is a rule', () => {
  for (const [line, ...rules] of RULES) {
    it(JSON.stringify(line.slice(0, 80)), () => {
      const scanned = scanText(line, check);
      assert.deepEqual(scanned.rules, rules);
      assert.equal(scanned.report.entries, rules.length);
      assert.deepEqual(scanned.report.samples, []);
    });
  }
});

const SKIPPED: readonly (readonly [line: string, reason: string])[] = [
  ['##.banner', Skip.cosmetic],
  ['###ad-top', Skip.cosmetic],
  ['#@#.ad', Skip.cosmetic],
  ['a.example##.ad', Skip.cosmetic],
  ['a.example,b.example#@#.ad', Skip.cosmetic],
  ['a.example#?#div:has(x)', Skip.cosmetic],
  ['a.example#$#body { x }', Skip.cosmetic],
  ['a.example#%#window.x = 1', Skip.cosmetic],
  ['a.example$$script[x]', Skip.cosmetic],
  ['[$path=/x]a.example##.ad', Skip.cosmetic],
  ['/banner/*', Skip.path],
  ['/ads/top.', Skip.path],
  ['/^https?:\\/\\/ads\\./', Skip.path],
  ['||a.example/log', Skip.path],
  ['||a.example^path', Skip.path],
  ['a.example/path', Skip.path],
  ['-banner-ad-', Skip.path],
  ['.adserver.', Skip.path],
  ['&ad_box=', Skip.path],
  ['_ad_300x250.', Skip.path],
  ['|https://a.example/x', Skip.url],
  ['http://a.example/x', Skip.url],
  ['https://a.example', Skip.url],
  ['||a.example^$third-party', Skip.modifier],
  ['||a.example^$image,script', Skip.modifier],
  ['||a.example^$~script,important', Skip.modifier],
  ['||a.example^$domain=b.example|c.example', Skip.modifier],
  ['@@||a.example^$document', Skip.modifier],
  ['@@||a.example^$elemhide', Skip.modifier],
  ['$removeparam=utm_source', Skip.modifier],
  ['/^ad/$script', Skip.modifier],
  ['server=/a.example/192.0.2.1', Skip.forwarding],
  ['server=192.0.2.1', Skip.setting],
  ['conf-dir=/etc/dnsmasq.d', Skip.setting],
  ['local-data: "a.example TXT hello"', Skip.setting],
  ['a.example TXT "hello world"', Skip.setting],
  ['local-zone: "a.example" transparent', Skip.setting],
  ['192.0.2.1', Skip.address],
  ['2001:db8::1 # why', Skip.address],
  ['32.1.2.0.192.rpz-nsip CNAME .', Skip.trigger],
];

describe('a line with a meaning for other programs is skipped', () => {
  for (const [line, reason] of SKIPPED) {
    it(line, () => {
      const { rules, report } = scanText(line, check);
      assert.deepEqual(rules, []);
      assert.deepEqual(report.samples, [{ line: 1, text: line, reason }]);
      assert.deepEqual([report.skipped, report.invalid], [1, 0]);
    });
  }
});

const INVALID: readonly (readonly [line: string, reason: string | RegExp])[] = [
  ['word', Invalid.single],
  ['0.0.0.0 word', Invalid.single],
  ['Page not found', Invalid.several],
  ['a.example b.example', Invalid.several],
  ['a..example', /empty label/],
  [`${'a'.repeat(64)}.example`, /over 63/],
  [`a${name253}`, /over 253/],
  ['1.2.3', /number/],
  ['1.2.3.4.5', /number/],
  ['a.example-', /dash/],
  ['a.-example', /dash/],
  ['a!b.example', Invalid.notDomain],
  ['{"message"', Invalid.notDomain],
  ['ads.*.example', Invalid.wildcard],
  ['*q7.example', /whole labels/],
  ['a\u{ad}..example', /empty label|IDN/],
  ['\u{fffd}.example', Invalid.idn],
  ['１.２.３.４', Invalid.idn],
  ['0.0.0.0 %61ü.example', Invalid.idn],
  [`${'ü'.repeat(300)}.example`, /IDN|over 63/],
  ['a.example <html>', Invalid.several],
  ['||a..example^', /empty label/],
  ['||a.example.^', Invalid.notDomain],
  ['*', Invalid.wildcard],
  ['||*^', Invalid.everything],
  ['@@*$important', Invalid.everything],
  ['/.*/', Invalid.everything],
  ['/[/', /missing closing \]: \[, at character 1/],
  ['/^(?=a)/', /at character 2/],
  [`/${'a'.repeat(1025)}/`, Invalid.patternTooLong],
  ['/^(?:[a-z]{1,30}x){100}/', Invalid.patternTooLarge],
  ['||a.example^$foo', /unknown modifier: foo/],
  ['||a.example^$', /empty modifier/],
  ['||a.example^$dnstype=FOO', /unknown type/],
  ['||a.example^$dnstype=', /needs a value/],
  ['||a.example^$denyallow=a b', /not a domain/],
  ['||a.example^$client=', /needs a value/],
  ['||a.example^$dnsrewrite', /needs a value/],
  ['||a.example^$dnsrewrite=SERVFAIL', /cannot answer SERVFAIL/],
  ['||a.example^$dnsrewrite=NOERROR;MX;10 b', /MX records/],
  ['||a.example^$dnsrewrite=NOERROR;A;::1', /not an address for A/],
  ['||a.example^$dnsrewrite=FOO;;', /unknown code/],
  ['@@||a.example^$dnsrewrite', Invalid.rewriteException],
  ['address=/#/0.0.0.0', Invalid.everything],
  ['address=/a.example/b', /not an address: b/],
  ['local-zone: "." static', Invalid.everything],
  ['local-zone: "a.example" nonsense', /unknown type/],
  ['* CNAME .', Invalid.everything],
  ['a.example A of words', /not an address/],
  ['a.example CNAME of words', /not a valid CNAME target/],
];

describe('a line without a meaning is invalid', () => {
  for (const [line, reason] of INVALID) {
    it(JSON.stringify(line.slice(0, 80)), () => {
      const { rules, report } = scanText(line, check);
      assert.deepEqual(rules, []);
      assert.deepEqual([report.skipped, report.invalid], [0, 1]);
      const found = report.samples[0]?.reason ?? '';
      if (typeof reason === 'string') assert.equal(found, reason);
      else assert.match(found, reason);
    });
  }
});

const SILENT = [
  '',
  ' \t\r',
  '# comment',
  '#comment',
  '#### heading ####',
  '## heading',
  '! comment',
  '!#if cap',
  '; comment',
  '[Adblock Plus 2.0]',
  '$TTL 2h',
  '$ORIGIN rpz.example.',
  '@ IN SOA localhost. root.localhost. 1 2 3 4 5',
  '  IN NS localhost.',
  '@ 300 IN NS localhost.',
  'server:',
];

describe('a line that is not counted', () => {
  for (const line of SILENT) {
    it(JSON.stringify(line), () => {
      const { report } = scanText(`${line}\na.example`, check);
      assert.deepEqual([report.entries, report.skipped, report.invalid, report.lines], [1, 0, 0, 2]);
    });
  }
});
