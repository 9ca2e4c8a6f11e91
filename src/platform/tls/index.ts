// The door of certificates: self-issued or configured, and renewed in time.

export { Certificates, type CertificateSettings } from './certificates.ts';
export { type IssueJob, issuerInThread } from './issue-in-thread.ts';
export { directIssuer, type Issuer, newPrivateKey } from './issue.ts';
export { type Outcome, type TlsMaterial, type TlsReport } from './material.ts';
