# Asks a model for one command after another, runs each, and ends when the model says that it is done.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;

my $done = 'echo TSBENCH_DONE';
my $json = JSON::PP->new->utf8->canonical;
my $http = HTTP::Tiny->new(timeout => 900);

open my $file, '<:encoding(UTF-8)', $ENV{TSBENCH_PROBLEM} or die "read the problem: $!\n";
my $problem = do { local $/; <$file> };
my @messages = ({
    role    => 'user',
    content => "$problem\nReply with one command in a block that begins with ```bash and ends with ```. "
        . "It is run at the root of the repository, and you are shown what it printed. "
        . "When the problem is solved, the command is: $done",
});

for my $turn (1 .. $ENV{LOOP_TURNS}) {
    my $text = ask();
    push @messages, { role => 'assistant', content => $text };
    my ($command) = $text =~ /^```(?:bash|sh)\s*\n(.*?)^```/ms;
    if (!defined $command) {
        push @messages, { role => 'user', content => 'There was no command in a block. Reply with one.' };
        next;
    }
    exit 0 if $command =~ /^\s*\Q$done\E\s*$/;
    my $printed = run($command);
    push @messages, { role => 'user', content => "exit code $?\n$printed" };
}
print "out of turns\n";

sub ask {
    my $body = $json->encode({ model => $ENV{TSBENCH_MODEL}, messages => \@messages });
    my $answer = $http->post("$ENV{OPENAI_BASE_URL}/chat/completions",
        { content => $body, headers => { 'content-type' => 'application/json' } });
    # 403 is a limit of the attempt: what was done until now is the work.
    exit 0 if $answer->{status} == 403;
    die "the model's address said $answer->{status}: $answer->{content}\n" if !$answer->{success};
    my $said = $json->decode($answer->{content});
    return $said->{choices}[0]{message}{content} // '';
}

sub run {
    my ($command) = @_;
    open my $pipe, '-|', 'bash', '-c', "exec 2>&1\n$command" or return "cannot run: $!\n";
    my $printed = do { local $/; <$pipe> } // '';
    close $pipe;
    return length $printed > 4000 ? substr($printed, 0, 2000) . "\n[...]\n" . substr($printed, -2000) : $printed;
}
