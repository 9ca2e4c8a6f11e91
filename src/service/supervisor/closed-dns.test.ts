import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bindProblem } from '#platform/sockets';
import { closedRows } from './closed-dns.ts';

const address = { family: 'ipv6', host: 'fd00::2', zone: '', port: 53 } as const;
function closed(transport: 'udp' | 'tcp', code: string) {
  return {
    transport,
    wanted: '*:53',
    address: '[fd00::2]:53',
    code,
    problem: bindProblem('dns.listen', address, code),
  };
}

describe('an address of dns.listen that is not open', () => {
  it('is reported once when UDP and TCP have the same problem', () => {
    const rows = closedRows('dns.listen', [closed('udp', 'EADDRINUSE'), closed('tcp', 'EADDRINUSE')]);
    assert.deepEqual(rows, [
      {
        setting: 'dns.listen',
        address: 'fd00::2',
        port: 53,
        wanted: '*:53',
        where: '[fd00::2]:53 (UDP and TCP)',
        kinds: ['udp', 'tcp'],
        code: 'EADDRINUSE',
        reason: 'the port is taken by another program (EADDRINUSE). Free it or choose another port.',
        problem:
          'dns.listen: cannot listen on [fd00::2]:53 (UDP and TCP): the port is taken by another program ' +
          '(EADDRINUSE). Free it or choose another port.',
      },
    ]);
  });

  it('is reported for each transport when UDP and TCP have different problems', () => {
    const [udp, tcp] = closedRows('dns.listen', [closed('udp', 'EADDRINUSE'), closed('tcp', 'EMFILE')]);
    assert.match(udp?.problem ?? '', /\(UDP\): the port is taken/u);
    assert.match(tcp?.problem ?? '', /\(TCP\): too many files/u);
  });

  it('keeps the text of a problem that does not depend on the transport', () => {
    const problem = '[fd00::2]:53 is not listened on: more than 256 addresses. List those you need.';
    const [row] = closedRows('dns.listen', [{ ...closed('udp', ''), problem }]);
    assert.equal(row?.problem, problem);
  });
});
