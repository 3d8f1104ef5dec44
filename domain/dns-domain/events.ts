import type { Instant } from '../time.ts'

/** A DNS domain whose TXT record proves that it belongs to the organization. */
export type DnsDomainEvent =
  | {
      type: 'domain.created'
      data: {
        domainId: string
        /** In lower case, internationalized labels as punycode */
        name: string
        /** The proof: part of the value of the TXT record, which anyone can read */
        token: string
      }
    }
  /** The record was found: for the first time, or again. */
  | { type: 'domain.verified'; data: { domainId: string; name: string } }
  /** An administrator asked for a check, and the record was not there. */
  | { type: 'domain.verification_failed'; data: { domainId: string; name: string } }
  /** A verified domain has lost its record, which has a grace period. */
  | { type: 'domain.record_missing'; data: { domainId: string; name: string; since: Instant } }
  /** The grace period has passed. */
  | { type: 'domain.lost'; data: { domainId: string; name: string } }
  | { type: 'domain.deleted'; data: { domainId: string; name: string } }
