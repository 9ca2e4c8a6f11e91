// The list that every installation has from the start, so that it blocks something before the first download:
// well-known hosts whose only purpose is advertising or tracking, with their subdomains. It is small on
// purpose: a host that pages or apps may need belongs in a maintained list. It has its own address and is
// fetched, stored and shown like any other list.

import { builtInList } from '#store/database/entities';

export const builtInAddress = builtInList.address;

const exchanges = `
doubleclick.net googlesyndication.com googleadservices.com adservice.google.com 2mdn.net
googletagservices.com adnxs.com adnxs-simple.com adsrvr.org criteo.com criteo.net rubiconproject.com
pubmatic.com openx.net casalemedia.com indexww.com 3lift.com sharethrough.com smartadserver.com sonobi.com
teads.tv gumgum.com yieldmo.com contextweb.com lijit.com sovrn.com media.net adform.net adformdsp.net
33across.com bidswitch.net emxdgt.com districtm.io rhythmone.com undertone.com 1rx.io adtechus.com
pixel.advertising.com amazon-adsystem.com ads-twitter.com ads.linkedin.com ads.yahoo.com
`;

const networks = `
taboola.com outbrain.com revcontent.com mgid.com adblade.com zergnet.com content.ad propellerads.com
popads.net popcash.net adsterra.com exoclick.com trafficjunky.net juicyads.com hilltopads.net adcash.com
bidvertiser.com infolinks.com serving-sys.com flashtalking.com innovid.com spotxchange.com springserve.com
tremorhub.com adcolony.com ms.applovin.com applvn.com sdkm.w.inmobi.com mopub.com ads.api.vungle.com
live.chartboost.com unityads.unity3d.com supersonicads.com tapjoyads.com startappservice.com smaato.net
leadbolt.net
`;

const trackers = `
google-analytics.com scorecardresearch.com quantserve.com quantcount.com chartbeat.net static.chartbeat.com
imrworldwide.com demdex.net omtrdc.net everesttech.net bluekai.com krxd.net exelator.com agkn.com rlcdn.com
crwdcntrl.net eyeota.net tapad.com mathtag.com bidr.io ad.turn.com adsymptotic.com d.adroll.com moatads.com
doubleverify.com adsafeprotected.com static.hotjar.com mouseflow.com rs.fullstory.com luckyorange.com
tracking.crazyegg.com www.clarity.ms bat.bing.com api.mixpanel.com api.amplitude.com app-measurement.com
appsflyersdk.com control.kochava.com analytics.tiktok.com mc.yandex.ru top-fwz1.mail.ru counter.yadro.ru
histats.com c.statcounter.com
`;

const hosts = [...new Set(`${exchanges} ${networks} ${trackers}`.split(/\s+/).filter((host) => host !== ''))];

export const builtInText = `! Well-known advertising and tracking hosts, built in
${hosts.map((host) => `||${host}^`).join('\n')}
`;
