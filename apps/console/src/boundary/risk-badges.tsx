import { Badge } from '../ui/badge.tsx';
import { riskText } from './risk-text.ts';

interface RiskBadgesProps {
  readonly risks: readonly string[];
  readonly highRisk: boolean;
}

/** Why a root is dangerous, in words. */
export function RiskBadges({ risks, highRisk }: RiskBadgesProps) {
  const told = risks.filter((risk) => risk !== 'ordinary');
  return (
    <span className="flex flex-wrap gap-1">
      {highRisk && <Badge tone="danger">high risk</Badge>}
      {told.map((risk) => (
        <Badge key={risk} tone={highRisk ? 'danger' : 'warn'}>
          {riskText(risk)}
        </Badge>
      ))}
    </span>
  );
}
