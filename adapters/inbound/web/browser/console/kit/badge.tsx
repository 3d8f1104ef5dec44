import type { ReactNode } from 'react'
import styles from './kit.module.css'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad'

export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ReactNode
}) => <span className={`${styles['badge'] ?? ''} ${styles[tone] ?? ''}`}>{children}</span>
