import type { Role } from '../roles.ts'

/**
 * The roles that a user needs to change a service account or to get a key of it: its own, and for an account that can
 * certify hosts the role that gave it their names.
 */
export const rolesToManage = ({
  roles,
  sshHostNames,
}: {
  readonly roles: readonly Role[]
  readonly sshHostNames: readonly string[]
}): readonly Role[] => (sshHostNames.length === 0 ? roles : [...roles, 'security_admin'])
