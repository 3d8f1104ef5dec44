import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

export interface PublicSamlCertificate {
  readonly id: Id<'samlCertificate'>
  readonly status: 'next' | 'active' | 'previous'
  readonly certificate: string
  /** SHA-256, hexadecimal */
  readonly fingerprint: string
  readonly notBefore: Instant
  readonly notAfter: Instant
  readonly createdAt: Instant
  readonly activatedAt: Instant | null
}

/** Returns every certificate in the metadata, newest first, without its key. */
export const listSamlCertificates = async (pool: pg.Pool): Promise<readonly PublicSamlCertificate[]> => {
  const { rows } = await pool.query<PublicSamlCertificate>(
    `select id, status, certificate, fingerprint, not_before as "notBefore", not_after as "notAfter",
       created_at as "createdAt", activated_at as "activatedAt"
     from saml_certificates order by created_at desc, id desc`,
  )
  return rows
}
