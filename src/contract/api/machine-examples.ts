// Example replies of the endpoints about the machine and the program, in a separate file because they are
// long.

const load = [0.2, 0.15, 0.1];
function totals(total: number, enabled: number) {
  return { total, enabled };
}

export const systemExample = {
  system: {
    uptime: 86_400,
    memory: {
      ram: { total: 1_000_000, free: 200_000, used: 400_000, available: 600_000, '%used': 40 },
      swap: { total: 100_000, free: 100_000, used: 0, '%used': 0 },
    },
    procs: 180,
    cpu: { nprocs: 4, '%cpu': 3.5, load: { raw: load, percent: load.map((one) => one * 25) } },
    ftl: { '%mem': 8.5, '%cpu': 1.2 },
  },
};

export const hostExample = {
  host: {
    uname: {
      domainname: '(none)',
      machine: 'aarch64',
      nodename: 'sluice',
      release: '6.12.0',
      sysname: 'Linux',
      version: '#1 SMP',
    },
    model: 'Raspberry Pi 4 Model B Rev 1.4',
    dmi: {
      bios: { vendor: null },
      board: { name: null, vendor: null, version: null },
      product: { name: null, family: null, version: null },
      sys: { vendor: null },
    },
  },
};

export const sensorsExample = {
  sensors: {
    list: [
      {
        name: 'cpu_thermal',
        path: 'hwmon0',
        source: 'thermal_zone0',
        temps: [{ name: null, value: 48.2, max: null, crit: 110, sensor: 'temp1' }],
      },
    ],
    cpu_temp: 48.2,
    hot_limit: 60,
    unit: 'C',
  },
};

/** Without the counts of dnsmasq, which are generated from their names. */
export const programExample = {
  database: {
    gravity: 1_000_000,
    groups: 2,
    lists: 3,
    clients: 5,
    domains: { allowed: totals(4, 4), denied: totals(7, 6) },
    regex: { allowed: totals(0, 0), denied: totals(2, 2) },
  },
  privacy_level: 0,
  query_frequency: 4.2,
  clients: { total: 21, active: 18 },
  pid: 4711,
  uptime: 3_600_000,
  '%mem': 8.5,
  '%cpu': 1.2,
  allow_destructive: true,
};

export const metricsExample = {
  metrics: {
    dns: {
      cache: {
        size: 393_216,
        inserted: 5_000,
        evicted: 0,
        expired: 120,
        immortal: 0,
        content: [{ type: 1, name: 'A', count: { valid: 800, stale: 100 } }],
      },
      replies: { local: 900, forwarded: 90, optimized: 8, unanswered: 2, auth: 0, sum: 1_000 },
    },
    dhcp: {
      ack: 0,
      decline: 0,
      discover: 0,
      inform: 0,
      nak: 0,
      offer: 0,
      release: 0,
      request: 0,
      noanswer: 0,
      bootp: 0,
      pxe: 0,
      leases: { allocated_4: 0, pruned_4: 0, allocated_6: 0, pruned_6: 0 },
    },
  },
};
