import { ReeveProvider } from '@reeve/client/react';
import { Screens } from './screens.tsx';
import { Shell } from './shell/shell.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { useSignIn } from './sign-in/use-sign-in.ts';
import { Loading } from './ui/loading.tsx';
import { NoticeBoard } from './ui/notice-board.tsx';

/** Everything: who is signed in sees the screens, everybody else is asked for the token. */
export function App() {
  const signIn = useSignIn();
  switch (signIn.state.kind) {
    case 'checking':
      return <Loading what="the server" />;
    case 'signed-out':
      return <SignInPage problem={signIn.state.problem} onToken={signIn.enter} />;
    case 'signed-in':
      return (
        <ReeveProvider reeve={signIn.state.reeve}>
          <NoticeBoard>
            <Shell onSignOut={signIn.leave}>
              <Screens />
            </Shell>
          </NoticeBoard>
        </ReeveProvider>
      );
  }
}
