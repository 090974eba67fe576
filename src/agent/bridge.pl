# Runs a program whose requests to 127.0.0.1 reach the one socket that leads out of the sandbox.
#
#   perl bridge.pl SOCKET PROGRAM ARGUMENT...
#
# {port} in arguments and in the environment becomes the port. Ends as the program ends.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(:sys_wait_h);

my $path = shift @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 64, Proto => 'tcp')
    or die "listen: $@\n";
my $port = $server->sockport;
s/\{port\}/$port/g for @ARGV, values %ENV;

my $program = fork // die "fork: $!\n";
if (!$program) {
    close $server;
    exec { $ARGV[0] } @ARGV or do { print STDERR "run $ARGV[0]: $!\n"; exit 127 };
}

my $status;
# A child that ends wakes the loop; one that ended before is found at the next look.
local $SIG{CHLD} = sub { };
my $waiting = IO::Select->new($server);
while (!defined $status) {
    if ($waiting->can_read(0.2) && (my $near = $server->accept)) {
        my $child = fork // next;
        if (!$child) { close $server; pump($near); exit 0 }
        close $near;
    }
    while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
        $status = $? if $pid == $program;
    }
}
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);

sub pump {
    my ($near) = @_;
    my $far = IO::Socket::UNIX->new(Peer => $path) or return;
    my %other = ($near->fileno => $far, $far->fileno => $near);
    my $open = IO::Select->new($near, $far);
    while ($open->count) {
        for my $from ($open->can_read) {
            my $to = $other{ $from->fileno };
            my $read = sysread $from, my $bytes, 65536;
            if (!$read) {
                $open->remove($from);
                shutdown $to, 1;
                next;
            }
            my $at = 0;
            while ($at < $read) {
                my $written = syswrite $to, $bytes, $read - $at, $at;
                return if !$written;
                $at += $written;
            }
        }
    }
    return;
}
