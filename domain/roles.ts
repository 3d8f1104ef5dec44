/** Administrator roles: key → display name (the form that GET /users/{id} shows). */
export const roles = {
  global_admin: 'Global administrator',
  security_admin: 'Security administrator',
  user_admin: 'User administrator',
  helpdesk_admin: 'Helpdesk administrator',
  app_admin: 'Application administrator',
  auditor: 'Auditor',
} as const

export type Role = keyof typeof roles

export const roleKeys = Object.keys(roles) as readonly Role[]

export const isRole = (value: string): value is Role => Object.hasOwn(roles, value)

/** Whether a user has all of these roles. A global administrator has all of them. */
export const holdsAll = (held: readonly Role[], wanted: readonly Role[]): boolean =>
  held.includes('global_admin') || wanted.every((role) => held.includes(role))

/** Returns the roles that satisfy a requirement for one of these roles. */
export const sufficient = (asked: readonly Role[]): readonly Role[] =>
  asked.includes('global_admin') ? asked : ['global_admin', ...asked]

/** Whether a user has one of the required roles. A global administrator always does. */
export const allows = (held: readonly Role[], asked: readonly Role[]): boolean =>
  sufficient(asked).some((role) => held.includes(role))
